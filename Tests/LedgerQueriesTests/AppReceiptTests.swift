import AppStore
import Foundation
import Ledger
import TestSupport
import Testing

/// What the receipt of a device says about a subscription, and what it cannot say (rules §6).
@Suite struct AppReceiptTests {
  typealias Row = (id: String, purchase: Double, expires: Double?, revoked: Double?)

  static func decoder() throws -> PayloadDecoder {
    .permissive(
      trust: try TrustStore(trusting: [ReceiptAuthority.shared.get().rootDER, TestAuthority.shared.get().rootDER]))
  }

  static func receipt(at created: Double, _ rows: [Row], environment: String = "Production") throws -> String {
    try ReceiptFixture(
      ReceiptAuthority.shared.get(), environment: environment, createdAt: day(created),
      rows: rows.map { row in
        ReceiptFixture.row(row.id, day(row.purchase), row.expires.map { day($0) }, revoked: row.revoked.map { day($0) })
      }
    ).base64()
  }

  static func ledger(_ texts: [String], received: Double = 90) async throws -> (LedgerRecorder, TemporaryFolder) {
    let (ledger, folder) = try TrustTests.ledger()
    try await TrustTests.record(texts, in: ledger, at: day(received), decoder())
    return (ledger, folder)
  }

  static func answer(_ ledger: LedgerRecorder, at instant: Double) throws -> Entitlement? {
    try ledger.reader.entitlements(QueryParameters(asOf: day(instant), knownAt: day(1e4))).first
  }

  static let first: Row = ("t1", 0, 30, nil)

  @Test(
    arguments: [
      ("a period that runs", 10, [first], 20, "active", true, "covered"),
      ("a period that ended before the receipt", 40, [first], 50, "expired", false, "unconfirmed"),
      ("a period that ended after the receipt", 10, [first], 50, "expired", false, "unconfirmed"),
      ("a refund", 40, [("t1", 0, 30, 20)], 50, "revoked", true, "revoked"),
      ("before a refund", 40, [("t1", 0, 30, 20)], 10, "active", true, "covered"),
      (
        "an upgrade, with the new purchase", 40, [("t1", 0, 30, 20), ("t2", 20, 60, nil)], 50, "active", true, "covered"
      ),
      ("a renewal", 40, [first, ("t2", 30, 60, nil)], 50, "active", true, "covered"),
    ] as [(String, Double, [Row], Double, String, Bool, String)])
  func `a receipt gives periods and refunds, and confirms no end`(
    name: String, created: Double, rows: [Row], at: Double, state: String, isConfirmed: Bool, rule: String
  ) async throws {
    let (ledger, folder) = try await Self.ledger([Self.receipt(at: created, rows)])
    let answer = try #require(try Self.answer(ledger, at: at))
    #expect(answer.state.rawValue == state && answer.isConfirmed == isConfirmed, "\(name): \(answer)")
    #expect(answer.rule.rawValue == rule && answer.trust == .verified && answer.willRenew == nil)
    #expect(try await ledger.reader.audit([.file, .signatures], trust: Self.decoder().trust) == [])
    _ = folder
  }

  @Test func `what Apple's servers state beside it confirms an end, in either order`() async throws {
    let receipt = try Self.receipt(at: 50, [Self.first])
    let answer = PayloadFixture.receipt(
      at: day(45), latest: [TransactionFixture(day(0), day(30))], renewals: [RenewalFixture(status: false, intent: 1)],
      environment: "Production")
    for texts in [[receipt, answer], [answer, receipt]] {
      let (ledger, folder) = try await Self.ledger(texts)
      let found = try #require(try Self.answer(ledger, at: 60))
      #expect(found.isConfirmed && found.rule == .lapsed && found.evidenceAt == day(50))
      // As it was known before the answer arrived, the end is not confirmed.
      _ = folder
    }
  }

  @Test func `the newest statement counts: a receipt from before a refund does not take it back`() async throws {
    let before = try Self.receipt(at: 10, [Self.first])
    let refund = try TrustTests.signed("REFUND", at: day(20), TransactionFixture(day(0), day(30), revoked: day(20)))
    let after = try Self.receipt(at: 25, [("t1", 0, 30, 20)])
    for texts in [[before, refund], [refund, before], [before, after], [after, before]] {
      let (ledger, folder) = try await Self.ledger(texts)
      #expect(try Self.answer(ledger, at: 28)?.state == .revoked)
      _ = folder
    }
  }

  @Test func `a purchase that is missing in a later receipt is not refunded`() async throws {
    let (ledger, folder) = try await Self.ledger([
      Self.receipt(at: 10, [Self.first]), Self.receipt(at: 20, []),
    ])
    #expect(try Self.answer(ledger, at: 25)?.state == .active)
    _ = folder
  }

  @Test func `a receipt that arrives in each form is recorded once, and given back byte for byte`() async throws {
    let text = try Self.receipt(at: 10, [Self.first])
    let bytes = [UInt8](try #require(Data(base64Encoded: text)))
    let urlSafe = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    let wrapped = Data(bytes).base64EncodedString(options: [
      .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
    ])
    let forms: [[UInt8]] = [
      bytes, Array(text.utf8), Array(urlSafe.utf8), Array(wrapped.utf8), Array("\"\(text)\"\n".utf8),
      Array("{\"receipt-data\":\"\(text.replacing("/", with: "\\/"))\",\"password\":\"s3cr3t\"}".utf8),
      Array("{\"receivedAt\":\"2026-03-01T00:00:00Z\",\"payload\":\"\(text)\"}".utf8),
      Array("{\"Store\":\"AppleAppStore\",\"TransactionID\":\"1\",\"Payload\":\"\(text)\"}".utf8),
    ]
    let (ledger, folder) = try TrustTests.ledger()
    let decoder = try Self.decoder()
    for (index, form) in forms.enumerated() {
      var importer = Importer(ledger: ledger, decoder: decoder, now: day(90))
      var pieces = stride(from: 0, to: form.count, by: 1000).map { Array(form[$0..<min($0 + 1000, form.count)]) }[...]
      let summary = try await importer.run([ImportSource(name: "file") { pieces.popFirst() }])
      #expect(summary.payloads == 1 && summary.recorded == (index == 0 ? 1 : 0), "form \(index): \(summary)")
      #expect(summary.duplicates == (index == 0 ? 0 : 1), "form \(index)")
    }
    let arrival = try #require(try ledger.reader.arrival(ContentDigest(sha256: Array(text.utf8))))
    #expect(String(decoding: arrival, as: UTF8.self) == text)
    #expect(try !FolderBytes(folder).contains("s3cr3t"))
  }

  @Test func `an archive has one receipt a line, and one that is cut leaves the others`() async throws {
    let texts = try (0..<5).map { try Self.receipt(at: 10 + Double($0), [Self.first]) }
    var lines = texts
    lines[2] = String(lines[2].prefix(700))
    let bytes = Array((lines.joined(separator: "\r\n") + "\n").utf8)
    let (ledger, folder) = try TrustTests.ledger()
    var importer = Importer(ledger: ledger, decoder: try Self.decoder(), now: day(90))
    var pieces = stride(from: 0, to: bytes.count, by: 777).map { Array(bytes[$0..<min($0 + 777, bytes.count)]) }[...]
    let summary = try await importer.run([ImportSource(name: "file") { pieces.popFirst() }])
    #expect(summary.recorded == 4 && summary.quarantined == 1)
    _ = folder
  }

  @Test(arguments: [false, true])
  func `what Xcode signed is taken on request only, and is never production`(acceptsUnverified: Bool) async throws {
    let bytes = try Checkout.bytes("Tests/AppStoreTests/Data/receipts/tikhop_xcode_2020.b64")
    var decoder = try Self.decoder()
    decoder.acceptsUnverified = acceptsUnverified
    guard case .evidence(let evidence)? = await decoder.decode(bytes).outcomes.first else {
      #expect(!acceptsUnverified); return
    }
    #expect(acceptsUnverified && evidence.trust == .unverified && evidence.environment == .xcode)
    #expect(evidence.transactions.map(\.originalTransactionID) == ["0"])
  }

  @Test func `a weak signature is taken on request only, and what it says of production counts for nothing`()
    async throws
  {
    let bytes = try Checkout.bytes("Tests/AppStoreTests/Data/receipts/mbaasy_transaction_sandbox.b64")
    var decoder = try Self.decoder()
    guard case .refused(let refusal, _)? = await decoder.decode(bytes).outcomes.first else {
      Issue.record("taken"); return
    }
    #expect(refusal.reason.rawValue == "signature/weak_key")
    decoder.acceptsUnverified = true
    guard case .evidence(let evidence)? = await decoder.decode(bytes).outcomes.first else {
      Issue.record("refused"); return
    }
    #expect(evidence.kind == .transactionReceipt && evidence.trust == .unverified && evidence.environment == .sandbox)
    // Nobody signed the line that says Sandbox. Without it the receipt claims production.
    let list = String(
      decoding: try #require(
        Data(base64Encoded: String(decoding: bytes, as: UTF8.self), options: .ignoreUnknownCharacters)), as: UTF8.self)
    let forged = list.split(separator: "\n").filter { !$0.contains("environment") }.joined(separator: "\n")
    guard
      case .evidence(let claimed)? = await decoder.decode(Array(Data(forged.utf8).base64EncodedData())).outcomes.first
    else { Issue.record("refused"); return }
    #expect(claimed.environment == .unverified && claimed.transactions[0].environment == .unverified)
  }
}
