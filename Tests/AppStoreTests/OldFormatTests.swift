import AppStore
import Foundation
import TestSupport
import Testing

/// What published payloads of 2011 to 2024 taught: payloads of our own in their shapes.
@Suite struct OldFormatTests {
  static let row = DecodingTests.row

  static func evidence(_ text: String) async throws -> Evidence {
    try #require(await DecodingTests.evidence(text))
  }

  static func row(_ id: String, originalID: String, product: String, purchased day: Int) -> String {
    """
    {"transaction_id":"\(id)","original_transaction_id":"\(originalID)","product_id":"\(product)",\
    "purchase_date_ms":"\(1_700_000_000_000 + day * 86_400_000)",\
    "expires_date_ms":"\(1_702_592_000_000 + day * 86_400_000)"}
    """
  }

  static let changedAt = 1_701_111_111_000

  // MARK: - V1

  @Test(arguments: [
    ("at the top in milliseconds", "\"auto_renew_status_change_date_ms\":\"\(changedAt)\",", ""),
    ("at the top as text", "\"auto_renew_status_change_date\":\"2023-11-27 18:51:51 Etc/GMT\",", ""),
    ("in the row", "", ",\"auto_renew_status_change_date_ms\":\"\(changedAt)\""),
    ("in a row that names no subscription", "", ",\"auto_renew_status_change_date_ms\":\"\(changedAt)\""),
  ])
  func `the change of renewal dates a V1 notification, also beside pending renewal info`(
    name: String, top: String, inRow: String
  ) async throws {
    let originalID = name.contains("no subscription") ? "" : "\"original_transaction_id\":\"9\","
    let other = Self.row("2", originalID: "8", product: "p", purchased: 0)
    let text = """
      {"notification_type":"DID_CHANGE_RENEWAL_STATUS","environment":"Sandbox","auto_renew_status":"true",\(top)\
      "unified_receipt":{"latest_receipt_info":[\(Self.row),\(other)],\
      "pending_renewal_info":[{\(originalID)"product_id":"p","auto_renew_status":"1"\(inRow)}]}}
      """
    let evidence = try await Self.evidence(text)
    #expect(evidence.inferredAt?.milliseconds == Int64(Self.changedAt))
  }

  @Test(arguments: [
    ("original_transaction_id", "\"original_transaction_id\":9,", "9"),
    ("latest_receipt_info", "\"latest_receipt_info\":ROW,", "9"),
    ("latest_expired_receipt_info", "\"latest_expired_receipt_info\":ROW,", "9"),
    ("the next product", "\"auto_renew_product_id\":\"p\",", "9"),
    ("nothing", "", "8"),
  ])
  func `a V1 notification is about the subscription that its top names, else the one bought last`(
    name: String, top: String, originalID: String
  ) async throws {
    let later = Self.row("2", originalID: "8", product: "q", purchased: 5)
    let text = """
      {"notification_type":"DID_FAIL_TO_RENEW","environment":"Sandbox","auto_renew_status":"false",\
      \(top.replacing("ROW", with: Self.row))"unified_receipt":{"latest_receipt_info":[\(later),\(Self.row)]}}
      """
    let evidence = try await Self.evidence(text)
    #expect(evidence.notification?.originalTransactionID == originalID)
    #expect(
      evidence.renewals.map(\.originalTransactionID) == [originalID], "what the top says of renewal is about it too")
    #expect(evidence.problems == [])
  }

  // MARK: - Contradictions

  static let gmt = "2023-12-08 01:46:40 Etc/GMT"
  static let pacific = "2023-12-07 17:46:40 America/Los_Angeles"

  @Test(arguments: [
    ("text that agrees", "\"expires_date\":\"\(gmt)\"", Int?.none),
    ("in California's time", "\"expires_date_pst\":\"\(pacific)\"", nil),
    (
      "in summer",
      "\"original_purchase_date_ms\":\"1690000000000\",\"original_purchase_date_pst\":\"2023-07-21 21:26:40 America/Los_Angeles\"",
      nil
    ),
    ("under a second apart", "\"cancellation_date\":\"\(gmt)\",\"cancellation_date_ms\":\"1702000000999\"", nil),
    ("iOS 6's three keys", "\"expires_date\":\"1702000000000\",\"expires_date_formatted\":\"\(gmt)\"", nil),
    ("an unreadable text", "\"expires_date_pst\":\"soon\"", 1),
    ("another year", "\"expires_date\":\"2025-12-08 01:46:40 Etc/GMT\"", 1),
    ("one second later", "\"expires_date\":\"2023-12-08 01:46:41 Etc/GMT\"", 1),
    ("another day in California", "\"expires_date_pst\":\"2023-12-08 17:46:40 America/Los_Angeles\"", 1),
    ("both texts", "\"expires_date\":\"2025-12-08 01:46:40 Etc/GMT\",\"expires_date_pst\":\"\(gmt)\"", 1),
    (
      "iOS 6's text", "\"expires_date\":\"1702000000000\",\"expires_date_formatted\":\"2019-03-24 12:09:02 Etc/GMT\"", 1
    ),
    (
      "two texts",
      "\"cancellation_date\":\"\(gmt)\",\"cancellation_date_pst\":\"2023-12-07 17:46:42 America/Los_Angeles\"", 1
    ),
  ])
  func `one date in two keys that differ by a second is a contradiction, noted once with both values`(
    name: String, members: String, count: Int?
  ) async throws {
    let odd = Self.row.replacing("\"product_id\"", with: members + ",\"product_id\"")
    let evidence = try await Self.evidence(DecodingTests.receipt(odd))
    #expect(evidence.problems.map(\.code) == Array(repeating: .contradictoryDate, count: count ?? 0))
    #expect(evidence.isContradictory == (count != nil))
    #expect(evidence.problems.allSatisfy { $0.value.contains(" and \"") && $0.path.contains("_date") })
    // Milliseconds win, and the row counts.
    #expect(evidence.transactions.first?.fields.expiresAt?.milliseconds == 1_702_000_000_000)
  }

  @Test(arguments: [
    (
      "the request",
      "\"receipt\":{\"request_date_ms\":\"1702000000000\",\"request_date\":\"2023-12-09 01:46:40 Etc/GMT\"}"
    ),
    (
      "the grace period",
      "\"pending_renewal_info\":[{\"original_transaction_id\":\"9\",\"grace_period_expires_date_ms\":\"1702000000000\",\"grace_period_expires_date\":\"2023-12-09 01:46:40 Etc/GMT\"}]"
    ),
  ])
  func `every date of a receipt is compared`(name: String, around: String) async throws {
    let evidence = try await Self.evidence(DecodingTests.receipt(Self.row, around: around))
    #expect(evidence.problems.map(\.code) == [.contradictoryDate])
  }

  @Test(arguments: [
    (
      "a period that ends before it begins", "\"1702000000000\"", "\"1699999999999\"",
      Problem.Code.periodEndsBeforeItBegins
    ),
    (
      "an original purchase after the purchase", "\"product_id\"",
      "\"original_purchase_date_ms\":\"1700000060001\",\"product_id\"", .originalPurchaseAfterPurchase
    ),
  ])
  func `dates in the order of old restores are a problem, and no contradiction`(
    name: String, words: String, odd: String, code: Problem.Code
  ) async throws {
    let evidence = try await Self.evidence(DecodingTests.receipt(Self.row.replacing(words, with: odd)))
    #expect(evidence.problems.map(\.code) == [code])
    #expect(!evidence.isContradictory && evidence.transactions.count == 1)
  }

  @Test func `Apple dates a first purchase's original some seconds later`() async throws {
    let usual = Self.row.replacing(
      "\"product_id\"", with: "\"original_purchase_date_ms\":\"1700000060000\",\"product_id\"")
    #expect(try await Self.evidence(DecodingTests.receipt(usual)).problems == [])
  }

  // MARK: - Libraries' shapes

  @Test func `rows under a library's keys are read`() async throws {
    let renewal = "{\"original_transaction_id\":\"9\",\"auto_renew_status\":\"0\"}"
    for text in [
      "{\"latestReceiptInfo\":[\(Self.row)],\"pendingRenewalInfo\":[\(renewal)]}",
      "{\"receipt\":{\"inApp\":[\(Self.row)]},\"pendingRenewalInfo\":[\(renewal)]}",
      "{\"notification_type\":\"CANCEL\",\"unifiedReceipt\":{\"latestReceiptInfo\":[\(Self.row)],"
        + "\"pendingRenewalInfo\":[\(renewal)]}}",
    ] {
      let evidence = try await Self.evidence(text)
      #expect(evidence.transactions.map(\.transactionID) == ["1"])
      #expect(evidence.renewals.map(\.fields.autoRenewStatus) == [false])
      #expect(evidence.problems == [])
    }
  }

  @Test(arguments: [
    ("\"transactionId\":\"1\"", true), ("\"transactionId\":1", true), ("\"originalTransactionId\":\"9\"", true),
    ("\"transactionId\":\"1\",\"originalTransactionId\":\"9\"", true), ("\"transactionId\":\"2\"", false),
    ("\"transactionId\":\"1\",\"originalTransactionId\":\"8\"", false), ("\"transactionId\":{}", false),
  ])
  func `a library's wrapper may name a transaction that was read, and another one is a problem`(
    ids: String, isRead: Bool
  ) async throws {
    let evidence = try await Self.evidence("{\(ids),\"latestReceiptInfo\":[\(Self.row)]}")
    #expect(evidence.transactions.map(\.transactionID) == ["1"])
    #expect(evidence.problems.filter { $0.code == .unreadRows }.map(\.path) == (isRead ? [] : ["$"]))
  }

  @Test(arguments: [
    ("at the top", "{\"status\":0,\"receipt\":{},\"purchases\":[ROW]}", "$.purchases"),
    ("in the receipt", "{\"receipt\":{\"items\":{\"first\":ROW}}}", "$.receipt.items"),
    (
      "a receipt that is a row of a library's",
      "{\"receipt\":{\"transactionId\":\"1\",\"originalTransactionId\":\"9\"}}",
      "$.receipt"
    ),
    (
      "in a V1 notification", "{\"notification_type\":\"CANCEL\",\"unified_receipt\":{\"rows\":[ROW]}}",
      "$.unified_receipt.rows"
    ),
  ])
  func `rows under a key that is not known are a problem of that key`(name: String, text: String, path: String)
    async throws
  {
    let evidence = try await Self.evidence(text.replacing("ROW", with: Self.row))
    #expect(evidence.problems.map(\.code) == [.unreadRows] && evidence.problems.map(\.path) == [path])
    #expect(evidence.hasNoUsableTransaction && evidence.mentions.map(\.identifier) == ["1", "9"])
  }

  @Test func `a row without its subscription belongs to that of the transaction's other row`() async throws {
    let flat = "{\"transaction_id\":\"1\",\"product_id\":\"p\",\"purchase_date_ms\":\"1700000000000\"}"
    let evidence = try await Self.evidence("{\"status\":0,\"receipt\":\(flat),\"latestReceiptInfo\":[\(Self.row)]}")
    #expect(Set(evidence.transactions.map(\.originalTransactionID)) == ["9"])
    #expect(evidence.transactions.count == 2)
    #expect(evidence.problems.map(\.code) == [.missingOriginalTransactionID])
  }

  // MARK: - Nothing usable

  static let signedRow = "{\"transactionId\":\"***\",\"originalTransactionId\":\"9\",\"purchaseDate\":1}"

  @Test(arguments: [
    ("a receipt", "{\"latest_receipt_info\":[{\"original_transaction_id\":\"9\",\"product_id\":\"p\"}]}"),
    ("a V1 notification", "{\"notification_type\":\"CANCEL\",\"original_transaction_id\":\"9\"}"),
    (
      "a V2 notification",
      "{\"notificationType\":\"EXPIRED\",\"data\":{\"signedTransactionInfo\":\(signedRow)}}"
    ),
    ("an answer of the Server API", "{\"signedTransactions\":[\"eyJvcmlnaW5hbFRyYW5zYWN0aW9uSWQiOiI5In0\"]}"),
    ("one transaction", "{\"transactionId\":\"\",\"originalTransactionId\":\"9\"}"),
  ])
  func `a payload that names a purchase and brings nothing usable is recorded as such, in every format`(
    name: String, text: String
  ) async throws {
    let evidence = try await Self.evidence(text)
    #expect(evidence.hasNoUsableTransaction)
    #expect(evidence.transactions.isEmpty && evidence.renewals.isEmpty)
    if name != "an answer of the Server API" {
      #expect(evidence.mentions.map(\.identifier) == ["9"] && evidence.mentions[0].kind == .originalTransactionID)
    }
  }

  @Test(arguments: [
    "{\"status\":0,\"receipt\":{}}", "{\"status\":21002}",
    "{\"signedTransactions\":[],\"hasMore\":false,\"revision\":\"\"}",
    "{\"notificationType\":\"TEST\",\"notificationUUID\":\"u\"}",
    "{\"pending_renewal_info\":[{\"original_transaction_id\":\"9\"}]}",
    "{\"notificationHistory\":[],\"hasMore\":false}",
  ])
  func `a payload that names no purchase, or states something of it, lacks nothing`(text: String) async throws {
    let evidence = try await Self.evidence(text)
    #expect(!evidence.hasNoUsableTransaction && evidence.mentions.isEmpty)
  }

  @Test func `a field that two readers look at is one problem`() async throws {
    let flat = Self.row.replacing(
      "\"product_id\"", with: "\"bid\":{},\"expires_date_formatted\":\"soon\",\"product_id\""
    )
    .replacing("\"1702000000000\"", with: "\"later\"")
    let evidence = try await Self.evidence("{\"status\":0,\"receipt\":\(flat)}")
    #expect(evidence.problems.map(\.path).sorted() == ["$.receipt.bid", "$.receipt.expires_date_ms"])
    let unkeyed = try await Self.evidence(DecodingTests.receipt(Self.row.replacing("\"1\"", with: "{}")))
    #expect(unkeyed.problems.map(\.code) == [.unreadableText])
    let undated = try await Self.evidence(DecodingTests.receipt(Self.row.replacing("\"1700000000000\"", with: "[]")))
    #expect(undated.problems.map(\.code) == [.unreadableInstant])
  }

  // MARK: - Redacted ids

  @Test(arguments: [
    "***", "******************", "...", "1000000...", "1000000***", "XXXXXXXX", "<id>", "•••", "[REDACTED]", "-",
  ])
  func `an id that was blanked out is a problem, and no subscription`(id: String) async throws {
    let rows = [
      Self.row.replacing("\"1\"", with: "\"\(id)\""), Self.row.replacing("\"9\"", with: "\"\(id)\""),
    ]
    for row in rows {
      let evidence = try await Self.evidence(DecodingTests.receipt(row))
      #expect(evidence.problems.map(\.code) == [.redactedID] && evidence.transactions.isEmpty)
      #expect(evidence.hasNoUsableTransaction)
    }
    let renewal = try await Self.evidence("{\"pending_renewal_info\":[{\"original_transaction_id\":\"\(id)\"}]}")
    #expect(renewal.problems.map(\.code) == [.redactedID] && renewal.renewals.isEmpty)
    let signed = try await Self.evidence(
      "{\"transactionId\":\"\(id)\",\"originalTransactionId\":\"\(id)\",\"purchaseDate\":1}")
    #expect(signed.problems.map(\.code) == [.redactedID, .redactedID] && signed.transactions.isEmpty)
    let token = Self.row.replacing("\"product_id\"", with: "\"app_account_token\":\"\(id)\",\"product_id\"")
    let stored = try await Self.evidence(DecodingTests.receipt(token))
    #expect(stored.transactions.count == 1 && stored.transactions[0].fields.appAccountToken == nil)
  }

  @Test(arguments: ["1000000123", "t1", "2000000123456789", "a-b_c", "some_transaction_id", "0"])
  func `an id of letters and digits is an id`(id: String) async throws {
    let evidence = try await Self.evidence(DecodingTests.receipt(Self.row.replacing("\"1\"", with: "\"\(id)\"")))
    #expect(evidence.transactions.map(\.transactionID) == [id] && evidence.problems == [])
  }

  // MARK: - 21006 and mentions

  @Test func `the expiry of an answer that says expired is its instant of evidence`() async throws {
    let evidence = try await Self.evidence("{\"status\":21006,\"receipt\":\(Self.row)}")
    #expect(evidence.inferredAt?.milliseconds == 1_702_000_000_000)
    #expect(
      try await Self.evidence("{\"status\":0,\"receipt\":\(Self.row)}").inferredAt?.milliseconds == 1_700_000_000_000)
  }

  @Test func `ids are found in torn texts, in texts inside texts and in signed texts`() {
    let inner = "{\"originalTransactionId\":\"77\",\"notificationUUID\":\"a-b\"}"
    let signed = "eyJhIjoxfQ." + inner.base64URL + ".c2ln"
    for text in [inner, "{\"data\":\"\(signed)\"}", inner.replacing("\"", with: "\\\"")] {
      #expect(Mention.all(in: Array(text.utf8)).map(\.identifier) == ["77", "a-b"], "\(text)")
    }
    let torn = "{\"transaction_id\": \"12\", \"web_order_line_item_id\":34,\"original_transaction_id\":\"5"
    #expect(Mention.all(in: Array(torn.utf8)).map(\.identifier) == ["12", "34"], "what is cut off is not whole")
    let nothing = "{\"transaction_id\":null,\"original_transaction_id\":\"***\",\"app_account_token\":\"t\"}"
    #expect(Mention.all(in: Array(nothing.utf8)).isEmpty)
  }
}
