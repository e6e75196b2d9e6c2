import AppStore
import Foundation
import TestSupport
import Testing

/// Receipts that Apple and Xcode signed, and what each must give. The values come from OpenSSL and asn1crypto, not from
/// this library.
///
/// Six of them are in `Data/receipts`: IdeasOnCanvas/AppReceiptValidator and veehaitch/devicecheck-appattest
/// (Apache-2.0), tikhop/TPInAppReceipt and mbaasy/itunes_receipt_decoder (MIT). The others need SUBLEDGER_FIXTURES.
@Suite struct ReceiptFixtureTests {
  struct Sample: CustomTestStringConvertible {
    var name: String
    /// The stable reason of the refusal; `nil` where it verifies.
    var reason: String?
    var environment = Environment.unknown
    var createdAt = ""
    var bundleID = ""
    var version = ""
    var rows = 0
    /// Some rows: transaction id, original id, product (its end), purchase, expiry.
    var some: [(String, String?, String, String, String?)] = []
    var testDescription: String { name }
  }

  static let samples: [Sample] = [
    Sample(
      name: "ideasoncanvas_mac_production_g5.bin", environment: .production, createdAt: "2023-08-28T10:24:05Z",
      bundleID: "com.ideasoncanvas.mindnode.macos", version: "2023.2.2", rows: 3,
      some: [
        ("710000250371060", "710000250371060", "iap.trial", "2017-11-28T11:13:57Z", nil),
        (
          "710000831465389", "710000831465389", "subscription.yearly", "2021-09-10T12:37:29Z", "2022-09-24T12:37:29Z"
        ),
      ]),
    Sample(
      name: "ideasoncanvas_mac_production_g7.bin", environment: .production, createdAt: "2023-02-22T12:56:25Z",
      bundleID: "com.ideasoncanvas.MindNodeMac", version: "2.5.8"),
    Sample(name: "ideasoncanvas_not_a_receipt.bin", reason: "unrecognised"),
    Sample(
      name: "ideasoncanvas_sandbox_g7.b64", environment: .sandbox, createdAt: "2023-02-22T14:30:15Z",
      bundleID: "com.hannesoid.PurchasingExperiments", version: "1", rows: 2,
      some: [
        ("2000000284164527", "2000000284164527", "subscription1", "2023-02-22T14:29:39Z", "2023-02-22T14:34:39Z")
      ]),
    Sample(
      name: "linjunpop_auto_renewable.b64", environment: .sandbox, createdAt: "2016-11-09T07:29:53Z",
      bundleID: "com.sumiapp.GridDiary", version: "1445", rows: 15,
      some: [
        ("1000000197013632", "1000000197013632", "pro", "2016-03-02T08:20:36Z", nil),
        ("1000000248851018", "1000000248850692", "pro.subscription", "2016-11-09T03:48:42Z", "2016-11-09T03:53:42Z"),
      ]),
    Sample(
      name: "linjunpop_gridnote.b64", environment: .sandbox, createdAt: "2017-06-16T06:01:55Z",
      bundleID: "io.sumi.GridNote", version: "30", rows: 7,
      some: [("1000000307705372", "1000000307457450", "pro.monthly", "2017-06-16T06:01:55Z", "2017-06-16T06:06:55Z")]),
    Sample(
      name: "mbaasy_unified_sandbox.b64", environment: .sandbox, createdAt: "2015-11-18T17:13:48Z",
      bundleID: "com.mbaasy.ios.demo", version: "1", rows: 5,
      some: [
        ("1000000180842733", "1000000180842733", "free_subscription", "2015-11-18T17:13:46Z", nil),
        ("1000000180703127", "1000000180636226", "yearly", "2015-11-18T04:34:41Z", "2015-11-24T06:34:41Z"),
      ]),
    Sample(
      name: "revenuecat_sample1.b64", environment: .sandbox, createdAt: "2020-07-22T17:39:08Z",
      bundleID: "com.revenuecat.sampleapp", version: "4", rows: 9,
      some: [
        (
          "1000000696553650", "1000000692878476", "annual_39.99.2_week_intro", "2020-07-22T17:39:06Z",
          "2020-07-22T18:39:06Z"
        ),
        (
          "1000000692878476", "1000000692878476", "monthly_4.99.1_week_intro", "2020-07-14T19:33:26Z",
          "2020-07-14T19:36:26Z"
        ),
      ]),
    Sample(
      name: "tikhop_sandbox_187_rows.b64", environment: .sandbox, createdAt: "2020-05-06T18:28:49Z",
      bundleID: "com.nutcall.alert", version: "32", rows: 187,
      some: [("1000000661019370", "1000000603177571", "inapp.pro", "2020-05-06T18:26:31Z", "2020-05-06T18:31:31Z")]),
    Sample(
      name: "tikhop_sandbox_g5.b64", environment: .sandbox, createdAt: "2025-12-26T18:39:47Z",
      bundleID: "dev.bonzer.weeka.app", version: "2", rows: 2,
      some: [
        (
          "2000001092134138", "2000001092134138", "subscription.pro.annual", "2025-12-26T17:43:07Z",
          "2025-12-26T18:19:07Z"
        ),
        (
          "2000001092148094", "2000001092134138", "subscription.pro.annual", "2025-12-26T18:19:07Z",
          "2025-12-26T18:55:07Z"
        ),
      ]),
    Sample(
      name: "tikhop_xcode_2020.b64", reason: "signature/untrusted_root", environment: .xcode,
      createdAt: "2020-07-22T17:33:15Z", bundleID: "net.zachariadis.cyclemaps", version: "31.10.0", rows: 1,
      some: [("0", nil, "CYCLEMAPS_PREMIUM", "2020-07-22T17:33:14Z", "2021-07-22T17:33:14Z")]),
    Sample(
      name: "../apple_library/xcode/xcode-app-receipt-with-transaction.b64", reason: "signature/untrusted_root",
      environment: .xcode, createdAt: "2023-10-19T01:45:40Z", bundleID: "com.example.naturelab.backyardbirds.example",
      version: "1", rows: 1, some: [("0", nil, "pass.premium", "2023-10-19T01:45:36Z", "2023-11-19T01:45:36Z")]),
    Sample(
      name: "../apple_library/xcode/xcode-app-receipt-empty.b64", reason: "signature/untrusted_root",
      environment: .xcode, createdAt: "2023-10-19T01:18:54Z", bundleID: "com.example.naturelab.backyardbirds.example",
      version: "1"),
    Sample(name: "veehaitch_app_attest_receipt.bin", reason: "signature/unsupported_algorithm"),
    Sample(
      name: "venice_transaction_sandbox.b64", reason: "signature/weak_key", environment: .sandbox,
      bundleID: "com.mindmobapp.MindMob", rows: 1,
      some: [("1000000046178817", "1000000046178817", "com.mindmobapp.download", "2012-04-30T15:05:55.868Z", nil)]),
    Sample(
      name: "mbaasy_transaction_production.b64", reason: "signature/weak_key", environment: .unverified,
      bundleID: "com.mindmobapp.MindMob", rows: 1,
      some: [("1000000046178817", "1000000046178817", "com.mindmobapp.download", "2012-04-30T15:05:55.868Z", nil)]),
    Sample(
      name: "mbaasy_transaction_sandbox.b64", reason: "signature/weak_key", environment: .sandbox,
      bundleID: "com.mbaasy.ios.demo", rows: 1,
      some: [("1000000181298734", "1000000180636226", "yearly", "2015-11-18T04:34:41Z", "2015-11-24T06:34:41Z")]),
    Sample(
      name: "cargobay_transaction_autorenewable.b64", reason: "signature/weak_key", environment: .sandbox,
      bundleID: "com.d--buzz.gag-plus.ios.001", rows: 1,
      some: [("1000000059632385", "1000000059632385", "ars.premium.1y", "2012-12-02T07:15:54Z", "2012-12-02T08:15:54Z")]
    ),
  ]

  static func bytes(_ name: String) throws -> [UInt8]? {
    let own = "Tests/AppStoreTests/Data/receipts/" + name
    if let bytes = try? Checkout.bytes(own) { return bytes }
    guard let folder = ProcessInfo.processInfo.environment["SUBLEDGER_FIXTURES"] else { return nil }
    return try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder + "/app_receipts/" + name)))
  }

  @Test(arguments: samples)
  func `each real receipt gives its verdict and its values`(sample: Sample) async throws {
    guard let bytes = try Self.bytes(sample.name) else { return }
    let check = await PayloadDecoder().check(receipt: bytes)
    #expect(check.refusal?.reason.rawValue == sample.reason)
    #expect(check.environment == sample.environment)
    #expect(check.root?.isApple == (sample.reason == nil ? true : nil))
    guard !sample.bundleID.isEmpty else { return }
    let root = try JSONDocument(#require(check.receipt)).root
    #expect((root["bundle_id"] ?? root["bid"])?.string == sample.bundleID)
    guard sample.reason != "signature/weak_key" else {
      return try Self.expect(sample.some[0], in: root)
    }
    #expect(root["application_version"]?.string == sample.version)
    #expect(root["receipt_creation_date_ms"]?.string == Instant(sample.createdAt).map { "\($0.milliseconds)" })
    let rows = root["in_app"]?.elements ?? []
    #expect(rows.count == sample.rows)
    for expected in sample.some {
      try Self.expect(expected, in: #require(rows.first { $0["transaction_id"]?.string == expected.0 }))
    }
    #expect(
      !check.isVerified || sample.rows == 0 || rows.contains { $0["transaction_id"]?.string == check.transactionID })
  }

  private static func expect(_ row: (String, String?, String, String, String?), in value: JSONValue) throws {
    #expect(value["transaction_id"]?.string == row.0 && value["original_transaction_id"]?.string == row.1)
    #expect(value["product_id"]?.string?.hasSuffix(row.2) == true)
    #expect(value["purchase_date_ms"]?.string == Instant(row.3).map { "\($0.milliseconds)" })
    let end = value["expires_date_ms"]?.string ?? value["expires_date"]?.string
    #expect(end == row.4.flatMap { Instant($0) }.map { "\($0.milliseconds)" })
  }

  /// Signed by their publisher under roots of its own, whose intermediates lack the marker of Apple's: none may verify.
  static let foreign: [(name: String, root: String, reason: String, environment: AppStore.Environment, rows: Int)] = [
    ("receipt", "root", "missing_intermediate_purpose", .sandbox, 2),
    ("receipt-double-wrapped", "root", "missing_intermediate_purpose", .sandbox, 2),
    ("receipt-expired-fresh", "expired-root", "missing_intermediate_purpose", .sandbox, 2),
    ("receipt-expired-historical", "expired-root", "missing_intermediate_purpose", .sandbox, 0),
    ("receipt-foreign", "root", "untrusted_root", .sandbox, 2),
    ("receipt-no-signer-oid", "no-signer-oid-root", "missing_leaf_purpose", .sandbox, 2),
    ("receipt-no-type", "root", "missing_intermediate_purpose", .unknown, 0),
    ("receipt-type-production", "root", "missing_intermediate_purpose", .production, 0),
    ("receipt-type-vpp", "root", "missing_intermediate_purpose", .production, 0),
    ("receipt-type-vpp-sandbox", "root", "missing_intermediate_purpose", .sandbox, 0),
  ]

  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["SUBLEDGER_FIXTURES"] != nil), arguments: foreign.indices)
  func `a receipt under another authority is decoded, and refused for its purpose`(index: Int) async throws {
    let sample = Self.foreign[index]
    func file(_ name: String) throws -> [UInt8] { try #require(try Self.bytes("test_signed/emindeniz_" + name)) }
    let decoder = PayloadDecoder(trust: try TrustStore(trusting: [file("receipt-\(sample.root).cer")]))
    let check = await decoder.check(receipt: try file(sample.name + ".bin"))
    #expect(check.refusal?.reason.rawValue == "signature/" + sample.reason && check.environment == sample.environment)
    let root = try JSONDocument(#require(check.receipt)).root
    let rows = root["in_app"]?.elements ?? []
    #expect(root["bundle_id"]?.string == "com.example.app" && rows.count == sample.rows, "\(sample.name)")
    guard let vip = rows.first(where: { $0["transaction_id"]?.string == "70000000000002" }) else { return }
    #expect(vip["expires_date_ms"]?.string == Instant("2030-02-01T09:30:00Z").map { "\($0.milliseconds)" })
    #expect(root["other_attributes"]?.elements.contains { $0["value"]?.string == "AQID" } == true)
  }

  /// Apple's answers to the same receipts, in verify_receipt.
  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["SUBLEDGER_FIXTURES"] != nil),
    arguments: [
      ("linjunpop_auto_renewable.b64", "linjunpop_autorenewable_sandbox.json"),
      ("revenuecat_sample1.b64", "revenuecat_sample1.json"),
    ])
  func `a receipt states what Apple's own answer to it states`(receipt: String, answer: String) async throws {
    let folder = try #require(ProcessInfo.processInfo.environment["SUBLEDGER_FIXTURES"])
    let response = try Self.object(
      [UInt8](Data(contentsOf: URL(fileURLWithPath: folder + "/verify_receipt/" + answer))))
    let check = await PayloadDecoder().check(receipt: try #require(try Self.bytes(receipt)))
    let ours = try Self.object(#require(check.receipt))
    let apples = try #require(response["receipt"] as? [String: Any])
    let names = [
      "receipt_type", "adam_id", "app_item_id", "bundle_id", "application_version", "download_id",
      "version_external_identifier", "receipt_creation_date_ms", "original_purchase_date_ms",
      "original_application_version",
    ]
    for name in names { #expect(ours[name].map { "\($0)" } == apples[name].map { "\($0)" }, "\(name)") }
    let rows = [
      "quantity", "product_id", "transaction_id", "original_transaction_id", "purchase_date_ms",
      "original_purchase_date_ms", "expires_date_ms", "web_order_line_item_id", "is_trial_period",
      "is_in_intro_offer_period", "cancellation_date_ms", "cancellation_reason", "promotional_offer_id",
    ]
    func list(_ receipt: [String: Any]) -> Set<[String?]> {
      Set((receipt["in_app"] as? [[String: Any]] ?? []).map { row in rows.map { row[$0] as? String } })
    }
    #expect(!list(apples).isEmpty && list(ours) == list(apples))
  }

  private static func object(_ bytes: [UInt8]) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }
}
