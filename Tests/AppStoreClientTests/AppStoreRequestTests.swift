import AppStore
import Testing

@testable import AppStoreClient

/// What is sent for each question, and which texts are refused before anything is sent.
@Suite struct AppStoreRequestTests {
  typealias Request = AppStoreRequest

  struct Sent: Sendable {
    let endpoint: AppStoreEndpoint
    let make: @Sendable () throws -> Request
    let line: String
    var body: String?
  }

  private static let uuid = "7E3FB204-0000-4000-8000-0123456789AB"

  static let table: [Sent] = [
    Sent(endpoint: .transactionInfo, make: { try .transactionInfo("12") }, line: "GET /inApps/v1/transactions/12"),
    Sent(endpoint: .transactionHistory, make: { try .transactionHistory(of: "12") }, line: "GET /inApps/v2/history/12"),
    Sent(
      endpoint: .transactionHistory, make: { try .transactionHistory(of: "12", productID: "a b&c").from("x/+=") },
      line: "GET /inApps/v2/history/12?productId=a%20b%26c&revision=x%2F%2B%3D"),
    Sent(
      endpoint: .subscriptionStatuses, make: { try .subscriptionStatuses(of: "12") },
      line: "GET /inApps/v1/subscriptions/12"),
    Sent(
      endpoint: .appTransactionInfo, make: { try .appTransactionInfo(of: "12") },
      line: "GET /inApps/v1/transactions/appTransactions/12"),
    Sent(
      endpoint: .refundHistory, make: { try .refundHistory(of: "12").from("a").from("b") },
      line: "GET /inApps/v2/refund/lookup/12?revision=b"),
    Sent(endpoint: .orderLookup, make: { try .orderLookup("MX4W5") }, line: "GET /inApps/v1/lookup/MX4W5"),
    Sent(
      endpoint: .notificationHistory,
      make: {
        try .notificationHistory(from: Instant(milliseconds: 1), to: Instant(milliseconds: 2), onlyFailures: true).from(
          "t")
      },
      line: "POST /inApps/v1/notifications/history?paginationToken=t",
      body: #"{"endDate":2,"onlyFailures":true,"startDate":1}"#),
    Sent(
      endpoint: .notificationHistory,
      make: {
        try .notificationHistory(
          from: Instant(milliseconds: 1), to: Instant(milliseconds: 2), transactionID: "12")
      },
      line: "POST /inApps/v1/notifications/history",
      body: #"{"endDate":2,"startDate":1,"transactionId":"12"}"#),
    Sent(endpoint: .testNotification, make: { .testNotification }, line: "POST /inApps/v1/notifications/test"),
    Sent(
      endpoint: .testNotificationStatus, make: { try .testNotificationStatus("a-b_1") },
      line: "GET /inApps/v1/notifications/test/a-b_1"),
    Sent(
      endpoint: .consumption,
      make: {
        try .consumption(of: "12", delivery: .delivered, hasSample: false, consumption: 50_000, preference: .decline)
      },
      line: "PUT /inApps/v2/transactions/consumption/12",
      body: #"{"consumptionPercentage":50000,"customerConsented":true,"deliveryStatus":"DELIVERED","#
        + #""refundPreference":"DECLINE","sampleContentProvided":false}"#),
    Sent(
      endpoint: .extend, make: { try .extend("12", byDays: 90, .serviceIssue, identifier: "x") },
      line: "PUT /inApps/v1/subscriptions/extend/12",
      body: #"{"extendByDays":90,"extendReasonCode":3,"requestIdentifier":"x"}"#),
    Sent(
      endpoint: .extendAll,
      make: { try .extendAll(of: "pro", byDays: 1, .undeclared, identifier: uuid, storefronts: ["USA"]) },
      line: "POST /inApps/v1/subscriptions/extend/mass",
      body: #"{"extendByDays":1,"extendReasonCode":0,"productId":"pro","#
        + #""requestIdentifier":"\#(uuid.lowercased())","storefrontCountryCodes":["USA"]}"#),
    Sent(
      endpoint: .extendAllStatus, make: { try .extendAllStatus(requestIdentifier: "r", productID: "p.q") },
      line: "GET /inApps/v1/subscriptions/extend/mass/p.q/r"),
    Sent(
      endpoint: .appAccountToken, make: { try .setAppAccountToken(uuid, of: "12") },
      line: "PUT /inApps/v1/transactions/12/appAccountToken",
      body: #"{"appAccountToken":"\#(uuid.lowercased())"}"#),
    Sent(endpoint: .finish, make: { try .finish("12") }, line: "POST /inApps/v1/transactions/12/finish"),
    Sent(
      endpoint: .verifyReceipt, make: { try .verifyReceipt("TUlJ+/=", excludingOldTransactions: true) },
      line: "POST /verifyReceipt", body: #"{"exclude-old-transactions":true,"receipt-data":"TUlJ+/="}"#),
  ]

  @Test(arguments: table.indices) func `each question is sent to its endpoint as Apple documents it`(_ row: Int) throws
  {
    let sent = Self.table[row]
    let request = try sent.make()
    #expect("\(request.method) \(request.target)" == sent.line)
    #expect(request.printableBody == sent.body)
    #expect(request.endpoint == sent.endpoint)
  }

  @Test func `every endpoint has a question`() {
    #expect(Set(Self.table.map(\.endpoint)) == Set(AppStoreEndpoint.allCases))
  }

  static let wrongIDs = [
    "", " ", "1/2", "1?x=2", "..", "a", "12a", "１２", "12\n", "-1", "%31", String(repeating: "1", count: 41),
  ]

  @Test(arguments: wrongIDs) func `an id with anything other than digits is refused, and is not in the error`(
    _ id: String
  ) throws {
    let makers: [(String) throws -> Request] = [
      { try .transactionInfo($0) }, { try .transactionHistory(of: $0) }, { try .subscriptionStatuses(of: $0) },
      { try .appTransactionInfo(of: $0) }, { try .refundHistory(of: $0) }, { try .finish($0) },
      { try .extend($0, byDays: 1, .other, identifier: "x") }, { try .setAppAccountToken(Self.uuid, of: $0) },
      { try .consumption(of: $0, delivery: .delivered, hasSample: true) },
    ]
    for make in makers {
      let error = #expect(throws: Request.WrongArgument.self) { try make(id) }
      #expect(id.count < 2 || error.map { !$0.description.contains(id) } ?? false)
    }
  }

  @Test(arguments: ["", "a/b", "a?b", "..", "ä", "a b", String(repeating: "a", count: 200)])
  func `an order, a token or a product that would change the path is refused`(_ text: String) {
    #expect(throws: Request.WrongArgument.self) { try Request.orderLookup(text) }
    #expect(throws: Request.WrongArgument.self) { try Request.testNotificationStatus(text) }
    #expect(throws: Request.WrongArgument.self) { try Request.extendAllStatus(requestIdentifier: "r", productID: text) }
    #expect(throws: Request.WrongArgument.self) { try Request.extendAllStatus(requestIdentifier: text, productID: "p") }
  }

  static let wrong: [@Sendable () throws -> Request] = [
    { try .extend("1", byDays: 0, .other, identifier: "x") }, { try .extend("1", byDays: 91, .other, identifier: "x") },
    { try .extend("1", byDays: 1, .other, identifier: "") },
    { try .extend("1", byDays: 1, .other, identifier: String(repeating: "x", count: 129)) },
    { try .extendAll(of: "", byDays: 1, .other, identifier: uuid) },
    { try .extendAll(of: "p", byDays: 1, .other, identifier: "x") },
    { try .extendAll(of: "p", byDays: 1, .other, identifier: uuid, storefronts: ["us"]) },
    { try .setAppAccountToken("x", of: "1") }, { try .verifyReceipt("") }, { try .verifyReceipt("{\"a\":1}") },
    { try .consumption(of: "1", delivery: .delivered, hasSample: true, consumption: 100_001) },
    { try .consumption(of: "1", delivery: .wrongItem, hasSample: true, consumption: 1) },
    { try .notificationHistory(from: Instant(milliseconds: 2), to: Instant(milliseconds: 2)) },
  ]

  @Test(arguments: wrong.indices) func `a value out of its range is refused before anything is sent`(_ row: Int) {
    #expect(throws: Request.WrongArgument.self) { try Self.wrong[row]() }
  }

  @Test func `no description shows the shared secret`() throws {
    let request = try Request.verifyReceipt("TUlJ", sharedSecret: AppSecret(" s3cr3t-of-app\n"))
    #expect(request.body.map { String(decoding: $0, as: UTF8.self) }?.contains(#""password":"s3cr3t-of-app""#) == true)
    var dumped = ""
    dump(AppSecret("s3cr3t-of-app"), to: &dumped)
    let texts = [request.printableBody ?? "", dumped, "\(AppSecret("s3cr3t-of-app"))", "\(request)"]
    for text in texts { #expect(!text.contains("s3cr3t"), "\(text)") }
  }
}
