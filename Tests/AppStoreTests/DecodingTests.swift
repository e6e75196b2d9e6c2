import AppStore
import Foundation
import TestSupport
import Testing

/// What a decoder must take, as seen in real payloads, and how each format is recognised.
@Suite struct DecodingTests {
  static func evidence(_ text: String, acceptsUnverified: Bool = true) async -> Evidence? {
    guard
      case .evidence(let evidence)? = await PayloadDecoder.permissive(acceptsUnverified: acceptsUnverified).decode(
        Array(text.utf8)
      ).outcomes.last
    else { return nil }
    return evidence
  }

  static func refusal(_ text: String) async -> PayloadError? {
    guard case .refused(let refusal, _)? = await PayloadDecoder.permissive().decode(Array(text.utf8)).outcomes.last
    else {
      return nil
    }
    return refusal
  }

  /// One row, with what is odd about it in place of its usual members.
  static func receipt(_ row: String, around: String = "\"latest_receipt_info\":[ROW]") -> String {
    "{\"status\":0,\"environment\":\"Sandbox\"," + around.replacing("ROW", with: row) + "}"
  }
  static let row = """
    {"transaction_id":"1","original_transaction_id":"9","product_id":"p","purchase_date_ms":"1700000000000",\
    "expires_date_ms":"1702000000000"}
    """

  @Test(arguments: [
    ("an array", "\"latest_receipt_info\":[ROW]", SourceRank.latestReceiptInfo),
    ("one object", "\"latest_receipt_info\":ROW", .latestReceiptInfo),
    ("inside receipt", "\"receipt\":{\"latest_receipt_info\":[ROW]}", .latestReceiptInfo),
    ("in_app", "\"receipt\":{\"in_app\":[ROW]}", .inApp),
    ("an iOS 6 receipt that is the transaction", "\"receipt\":ROW", .inApp),
    ("the expired form", "\"latest_expired_receipt_info\":ROW,\"receipt\":{}", .latestReceiptInfo),
  ])
  func `a receipt's rows are found wherever Apple has put them`(name: String, around: String, rank: SourceRank)
    async throws
  {
    let evidence = try #require(await Self.evidence(Self.receipt(Self.row, around: around)))
    #expect(evidence.transactions.map(\.transactionID) == ["1"])
    #expect(evidence.transactions.map(\.originalTransactionID) == ["9"])
    #expect(evidence.transactions.map(\.rank) == [rank])
    #expect(evidence.problems == [])
  }

  @Test(arguments: [
    ("numbers for text", ["\"1\"": "1", "\"9\"": "9", "\"1700000000000\"": "1700000000000"]),
    ("legacy expires_date in milliseconds", ["\"expires_date_ms\"": "\"expires_date\""]),
    (
      "legacy expires_date as text",
      ["\"expires_date_ms\":\"1702000000000\"": "\"expires_date\":\"2023-12-08 01:46:40 Etc/GMT\""]
    ),
    ("a truncated zone", ["\"expires_date_ms\":\"1702000000000\"": "\"expires_date\":\"2023-12-08 01:46:40 Etc/G\""]),
    ("fractional milliseconds", ["\"1702000000000\"": "1702000000000.7297"]),
    ("unknown keys", ["\"product_id\"": "\"new_key\":{\"a\":[1]},\"product_id\""]),
  ])
  func `scalars are taken in every style`(name: String, replacing: [String: String]) async throws {
    let odd = replacing.reduce(Self.row) { $0.replacing($1.key, with: $1.value) }
    let evidence = try #require(await Self.evidence(Self.receipt(odd)))
    let version = try #require(evidence.transactions.first)
    #expect(version.transactionID == "1" && version.originalTransactionID == "9")
    #expect(version.fields.purchaseAt?.milliseconds == 1_700_000_000_000)
    #expect(version.fields.expiresAt?.milliseconds == 1_702_000_000_000)
    #expect(evidence.problems == [])
    #expect(version.object.text.source == Array(odd.utf8))
  }

  @Test(arguments: [
    ("zeros", "\"cancellation_date_ms\":\"0000000000000\""), ("empty text", "\"cancellation_date_ms\":\"\""),
    ("the year 1", "\"cancellation_date_ms\":-62135769600000"), ("null", "\"cancellation_date_ms\":null"),
  ])
  func `a date that is no date is absent`(name: String, member: String) async throws {
    let odd = Self.row.replacing("\"product_id\"", with: member + ",\"product_id\"")
    let evidence = try #require(await Self.evidence(Self.receipt(odd)))
    #expect(evidence.transactions.first?.fields.revokedAt == nil)
    #expect(evidence.problems == [])
  }

  @Test(arguments: [
    (
      "a date that cannot be read", "\"cancellation_date_ms\":\"soon\"", Problem.Code.unreadableInstant,
      "$.latest_receipt_info[0].cancellation_date_ms"
    ),
    (
      "a date beyond all years", "\"cancellation_date_ms\":9e14", .unreadableInstant,
      "$.latest_receipt_info[0].cancellation_date_ms"
    ),
    ("a flag", "\"is_upgraded\":\"perhaps\"", .unreadableFlag, "$.latest_receipt_info[0].is_upgraded"),
    ("a number", "\"quantity\":\"many\"", .unreadableNumber, "$.latest_receipt_info[0].quantity"),
    ("a text", "\"app_account_token\":{}", .unreadableText, "$.latest_receipt_info[0].app_account_token"),
  ])
  func `a field that cannot be used is a problem with its path, and the row stays`(
    name: String, member: String, code: Problem.Code, path: String
  ) async throws {
    let odd = Self.row.replacing("\"product_id\"", with: member + ",\"product_id\"")
    let evidence = try #require(await Self.evidence(Self.receipt(odd)))
    #expect(evidence.transactions.count == 1)
    #expect(evidence.problems.map(\.code) == [code])
    #expect(evidence.problems.map(\.path) == [path])
  }

  @Test func `a row without a transaction id is a problem, and the rest is recorded`() async throws {
    let rowless = Self.row.replacing("\"transaction_id\":\"1\",", with: "")
    let evidence = try #require(await Self.evidence(Self.receipt(Self.row + "," + rowless)))
    #expect(evidence.transactions.count == 1)
    #expect(evidence.problems.map(\.code) == [.missingTransactionID])
    #expect(!evidence.hasNoUsableTransaction)
  }

  @Test func `one transaction id with two products is two versions`() async throws {
    let evidence = try #require(
      await Self.evidence(Self.receipt(Self.row + "," + Self.row.replacing("\"p\"", with: "\"q\""))))
    #expect(evidence.transactions.map(\.fields.productID) == ["p", "q"])
    let same = try #require(await Self.evidence(Self.receipt(Self.row + "," + Self.row)))
    #expect(same.transactions.count == 1)
  }

  @Test(arguments: [
    ("its own line", "{\"original_transaction_id\":\"7\",\"auto_renew_status\":\"1\"}", "7"),
    ("by product", "{\"product_id\":\"p\",\"auto_renew_status\":\"1\"}", "9"),
    ("by the next product", "{\"auto_renew_product_id\":\"p\"}", "9"),
    ("by being the only line", "{\"auto_renew_product_id\":\"new\"}", "9"),
  ])
  func `pending renewal info finds its subscription`(name: String, pending: String, originalID: String) async throws {
    let text = Self.receipt(Self.row, around: "\"latest_receipt_info\":[ROW],\"pending_renewal_info\":[\(pending)]")
    let evidence = try #require(await Self.evidence(text))
    #expect(evidence.renewals.map(\.originalTransactionID) == [originalID])
  }

  @Test func `a product of two subscriptions attributes nothing`() async throws {
    let two = Self.row + "," + Self.row.replacing("\"9\"", with: "\"8\"")
    let text = Self.receipt(
      two, around: "\"latest_receipt_info\":[ROW],\"pending_renewal_info\":[{\"product_id\":\"p\"}]")
    let evidence = try #require(await Self.evidence(text))
    #expect(evidence.renewals.isEmpty)
    #expect(evidence.problems.map(\.code) == [.unattributedRenewal])
  }

  @Test func `renewal fields at the top count where no row has them`() async throws {
    let top = "{\"status\":21006,\"receipt\":\(Self.row),\"auto_renew_status\":0,\"expiration_intent\":\"1\"}"
    let evidence = try #require(await Self.evidence(top))
    #expect(evidence.renewals.map(\.fields.autoRenewStatus) == [false])
    #expect(evidence.renewals.map(\.fields.expirationIntent) == [1])
    let beside = Self.receipt(
      Self.row,
      around:
        "\"latest_receipt_info\":[ROW],\"auto_renew_status\":1,\"pending_renewal_info\":[{\"original_transaction_id\":\"9\",\"auto_renew_status\":\"0\"}]"
    )
    #expect(await Self.evidence(beside)?.renewals.map(\.fields.autoRenewStatus) == [false])
  }

  @Test(arguments: [
    (21_000, FailureAdvice.mendRequest), (21_002, .retry), (21_003, .permanent), (21_004, .mendRequest),
    (21_005, .retry),
    (21_007, .askSandbox), (21_008, .askProduction), (21_009, .retry), (21_010, .permanent), (21_150, .retry),
  ])
  func `a failed verifyReceipt is recorded with what to do, and its body is not believed`(
    status: Int, advice: FailureAdvice
  ) async throws {
    let evidence = try #require(await Self.evidence("{\"status\":\(status),\"receipt\":{\"in_app\":[\(Self.row)]}}"))
    #expect(evidence.kind == .verifyReceipt && evidence.failure == advice && evidence.receiptStatus == Int64(status))
    #expect(evidence.transactions.isEmpty)
  }

  @Test func `21100 to 21199 say themselves whether to retry`() async throws {
    #expect(await Self.evidence("{\"status\":21199,\"is-retryable\":false}")?.failure == .permanent)
    #expect(await Self.evidence("{\"status\":21199,\"is_retryable\":\"1\"}")?.failure == .retry)
  }

  @Test(arguments: [
    ("{\"environment\":\"PROD\",\"receipt\":{}}", "Production"),
    ("{\"environment\":\"production\",\"receipt\":{}}", "Production"),
    ("{\"receipt\":{\"receipt_type\":\"ProductionSandbox\"}}", "Sandbox"), ("{\"status\":0,\"receipt\":{}}", "Unknown"),
    ("{\"environment\":\"Moon\",\"receipt\":{}}", "Moon"),
  ])
  func `environments have many spellings, and unknown ones stay separate`(text: String, name: String) async throws {
    #expect(await Self.evidence(text)?.environment.name == name)
  }

  static let transaction = TransactionFixture(day(0), day(30)).signed(day(0))
  static let formats: [(String, PayloadKind)] = [
    (receipt(row), .verifyReceipt), (row, .verifyReceipt), ("{\"status\":21002}", .verifyReceipt),
    ("{\"pending_renewal_info\":[{\"original_transaction_id\":\"9\"}]}", .verifyReceipt),
    (PayloadFixture.v1("DID_RENEW", latest: []), .notificationV1),
    (PayloadFixture.v2("DID_RENEW", at: day(0), transaction: TransactionFixture(day(0), day(30))), .notificationV2),
    (transaction, .transaction), (RenewalFixture(status: true).signed(day(0)), .renewalInfo),
    ("{\"originalApplicationVersion\":\"1\",\"environment\":\"Sandbox\"}", .appTransaction),
    ("{\"environment\":\"Sandbox\",\"data\":[]}", .subscriptionStatuses),
    ("{\"signedTransactions\":[],\"revision\":\"r\",\"hasMore\":false,\"bundleId\":\"b\"}", .transactionHistory),
    ("{\"signedTransactions\":[],\"revision\":\"r\",\"hasMore\":false}", .refundHistory),
    ("{\"signedTransactions\":[],\"status\":1}", .orderLookup),
    ("{\"errorCode\":4040010,\"errorMessage\":\"x\"}", .apiError),
    ("{\"notificationHistory\":[],\"hasMore\":false}", .notificationHistory),
  ]

  @Test(arguments: formats)
  func `every format is recognised, bare, wrapped, and as text inside the wrapper`(text: String, kind: PayloadKind)
    async throws
  {
    #expect(await Self.evidence(text)?.kind == kind)
    let wrapped = await PayloadDecoder.permissive(acceptsUnverified: true).decode(
      Array("{\"receivedAt\":\"2026-03-01\",\"payload\":\(text)}".utf8))
    #expect(wrapped.receivedAt == Instant("2026-03-01"))
    guard case .evidence(let inner)? = wrapped.outcomes.last else {
      Issue.record("refused inside the wrapper")
      return
    }
    #expect(inner.kind == kind)
    // The wrapper is not the payload: the digest is the same without it.
    #expect(inner.digest == (await Self.evidence(text))?.digest)
  }

  @Test(arguments: [
    ("", PayloadError.Code.empty), ("{}", .unrecognised), ("[]", .unrecognised),
    ("{\"event\":{\"type\":\"RENEWAL\"}}", .unrecognised),
    ("hello", .malformed), ("{\"a\":1,\"a\":2}", .duplicateKey),
    ("{\"receivedAt\":\"soon\",\"payload\":{}}", .unreadableReceivedAt),
    (transaction, .unverified),
    ("{\"notificationType\":\"TEST\",\"signedDate\":\"signed_date_value\"}", .unverified),
    ("{\"signedPayload\":\"eyJh.eyJ9.x\"}", .signature), ("{\"signedPayload\":\"no signature\"}", .signature),
  ])
  func `what cannot be used is refused with a name, a place and advice`(text: String, code: PayloadError.Code)
    async throws
  {
    let refusal = try #require(await Self.refusal(text))
    #expect(refusal.code == code)
    #expect(!refusal.advice.isEmpty && !refusal.detail.isEmpty && refusal.path.hasPrefix("$"))
  }

  @Test func `notifications of any type and part are taken`() async throws {
    let types = [
      "SUBSCRIBED", "DID_RENEW", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "OFFER_REDEEMED", "EXPIRED",
      "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED",
      "CONSUMPTION_REQUEST", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "REVOKE", "TEST", "EXTERNAL_PURCHASE_TOKEN",
      "ONE_TIME_CHARGE", "RESCIND_CONSENT", "METADATA_UPDATE", "MIGRATION", "MIGRATE", "PRICE_CHANGE", "NEVER_HEARD_OF",
    ]
    for type in types {
      let evidence = await Self.evidence(
        PayloadFixture.v2(type, subtype: "ANY", at: day(0), transaction: TransactionFixture(day(0), day(30))))
      #expect(evidence?.notification?.type == type && evidence?.notification?.subtype == "ANY")
    }
    let token = """
      {"notificationType":"EXTERNAL_PURCHASE_TOKEN","notificationUUID":"u","signedDate":1698148900000,\
      "externalPurchaseToken":{"externalPurchaseId":"SANDBOX_x","tokenCreationDate":1698148950000}}
      """
    #expect(await Self.evidence(token)?.environment == .sandbox)
    #expect(await Self.evidence(token)?.notification?.externalPurchaseID == "SANDBOX_x")
    let summary = """
      {"notificationType":"RENEWAL_EXTENSION","subtype":"SUMMARY","notificationUUID":"u","signedDate":1698148900000,\
      "summary":{"environment":"Sandbox","requestIdentifier":"r","productId":"p","succeededCount":5,"failedCount":2}}
      """
    #expect(await Self.evidence(summary)?.notification?.succeededCount == 5)
  }

  @Test func `a secret does not hide behind the escapes of a text inside a text`() async throws {
    let words = PayloadFixture.v1("CANCEL", latest: [])
    #expect(words.contains("\"password\":\"s3cret\""))
    for hidden in [
      words.replacing("\"", with: "\\u0022"), words.replacing("\"", with: "\\\"").replacing("w", with: "\\u0077"),
    ] {
      let evidence = try #require(await Self.evidence("{\"payload\":\"\(hidden)\"}"))
      let text = String(decoding: evidence.text.source, as: UTF8.self)
      #expect(text.contains("\"password\":\"******\""))
    }
  }

  @Test func `revocationReason 0 is a value`() async throws {
    let text = TransactionFixture(day(0), day(30), revoked: day(2), extra: [("revocationReason", "0")]).signed(day(3))
    #expect(await Self.evidence(text)?.transactions.first?.fields.revocationReason == 0)
  }
}
