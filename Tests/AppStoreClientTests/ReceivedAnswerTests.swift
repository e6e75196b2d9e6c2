import AppStore
import Testing

@testable import AppStoreClient

/// How answers are read: the class of each error, waits, and cursors.
@Suite struct ReceivedAnswerTests {
  struct Row: Sendable {
    let status: Int
    let body: String
    let verdict: RequestVerdict
    var code: Int64?
  }

  private static func error(_ code: Int64, _ verdict: RequestVerdict) -> Row {
    Row(
      status: Int(code / 10_000), body: "{\"errorCode\":\(code),\"errorMessage\":\"m\"}", verdict: verdict, code: code)
  }

  static let answers: [Row] =
    [
      Row(status: 200, body: "{}", verdict: .answered), Row(status: 200, body: "", verdict: .unreadable),
      Row(status: 200, body: "[]", verdict: .unreadable), Row(status: 200, body: "<html>", verdict: .unreadable),
      Row(status: 200, body: "{\"data\":[", verdict: .unreadable), Row(status: 301, body: "", verdict: .unreadable),
      Row(status: 307, body: "{}", verdict: .unreadable), Row(status: 401, body: "", verdict: .wrongSettings),
      Row(status: 404, body: "", verdict: .wrongRequest), Row(status: 429, body: "", verdict: .tooManyRequests),
      Row(status: 500, body: "", verdict: .tryAgain), Row(status: 503, body: "<html>", verdict: .tryAgain),
      Row(status: 400, body: "{}", verdict: .wrongRequest),
    ]
    + [4_040_002, 4_040_004, 4_040_006, 5_000_000, 5_000_001].map { error($0, .tryAgain) }
    + [error(4_290_000, .tooManyRequests), error(4_040_010, .unknownTransaction), error(4_040_008, .notYetKnown)]
    + [4_000_000, 4_000_006, 4_000_187, 4_040_005, 4_040_007, 4_040_009, 4_040_019].map { error($0, .wrongRequest) }
    + [4_030_004, 4_030_005, 4_030_007, 4_030_028].map { error($0, .refusedByRule) }
    + [4_040_003, 4_000_002].map { error($0, .wrongSettings) }

  @Test(arguments: answers.indices) func `each answer has the class of its error`(_ row: Int) throws {
    let row = Self.answers[row]
    let answer = ReceivedAnswer(status: row.status, body: Array(row.body.utf8))
    let reading = answer.reading(of: try .subscriptionStatuses(of: "1"))
    #expect(reading.verdict == row.verdict && reading.code == row.code)
  }

  static let receipts: [(String, RequestVerdict, Int64?)] = [
    (#"{"status":0}"#, .answered, 0), (#"{"status":21006}"#, .answered, 21_006),
    (#"{"status":"0"}"#, .answered, 0), (#"{"status":21007}"#, .otherEnvironment, 21_007),
    (#"{"status":21008}"#, .otherEnvironment, 21_008), (#"{"status":21004}"#, .wrongSettings, 21_004),
    (#"{"status":21002}"#, .tryAgain, 21_002), (#"{"status":21005}"#, .tryAgain, 21_005),
    (#"{"status":21009}"#, .tryAgain, 21_009), (#"{"status":21003}"#, .wrongRequest, 21_003),
    (#"{"status":21010}"#, .wrongRequest, 21_010), (#"{"status":21000}"#, .wrongRequest, 21_000),
    (#"{"status":21104,"is_retryable":1}"#, .tryAgain, 21_104),
    (#"{"status":21104,"is-retryable":"0"}"#, .wrongRequest, 21_104),
    (#"{"status":21104,"is_retryable":false}"#, .wrongRequest, 21_104), (#"{}"#, .unreadable, nil),
  ]

  @Test(arguments: receipts.indices) func `each status of verifyReceipt has its class`(_ row: Int) throws {
    let (body, verdict, code) = Self.receipts[row]
    let reading = ReceivedAnswer(status: 200, body: Array(body.utf8)).reading(of: try .verifyReceipt("TUlJ"))
    #expect(reading.verdict == verdict && reading.code == code)
  }

  @Test func `those that do something may answer with nothing`() throws {
    let nothing = ReceivedAnswer(status: 200, body: [])
    #expect(nothing.reading(of: try .finish("1")).verdict == .answered)
    #expect(nothing.reading(of: .testNotification).verdict == .unreadable)
  }

  /// The header at 1,700,000,000,000, and the wait in milliseconds.
  static let waits: [(String?, Int64?)] = [
    (nil, 60_000), ("", 60_000), ("soon", 60_000), ("-1", 60_000), ("5", 5000), ("7200", 3_600_000),
    ("1700000030000", 30_000), ("1700000000000", 0), ("1600000000000", 0), ("1800000000000", 3_600_000),
    ("9223372036854775807", 3_600_000),
  ]

  @Test(arguments: waits.indices) func `Retry-After is Apple's instant or other people's seconds, at most an hour`(
    _ row: Int
  ) {
    let (header, wait) = Self.waits[row]
    let now = Instant(milliseconds: 1_700_000_000_000)
    let answer = ReceivedAnswer(status: 429, body: [], retryAfter: header)
    let retryAt = answer.retryAt(.init(verdict: .tooManyRequests), now: now)
    #expect(retryAt.map { $0.milliseconds - now.milliseconds } == wait)
    if header == nil { #expect(answer.retryAt(.init(verdict: .tryAgain), now: now) == nil) }
  }

  @Test func `Apple's words reach a person without control characters`() throws {
    let body = "{\"errorCode\":4000006,\"errorMessage\":\"Invalid\\u001b[31m id\\n\"}"
    let reading = ReceivedAnswer(status: 400, body: Array(body.utf8)).reading(of: try .transactionInfo("1"))
    #expect(reading.detail == "Invalid[31m id.")
  }

  // MARK: - Pages

  private static func answer(_ body: String) throws -> AppStoreAnswer {
    AppStoreAnswer(
      request: try .refundHistory(of: "1"), environment: .production, receivedAt: Instant(milliseconds: 1),
      body: Array(body.utf8), root: try JSONDocument(Array(body.utf8)).root)
  }

  @Test func `a walk goes from cursor to cursor, and stores the last one`() throws {
    var walk = Pagination(try .refundHistory(of: "1"))
    #expect(walk.next?.query == [])
    try walk.advance(over: Self.answer(#"{"hasMore":true,"revision":"a"}"#))
    #expect(walk.next?.query == [.init(name: "revision", value: "a")])
    try walk.advance(over: Self.answer(#"{"hasMore":false,"revision":"b"}"#))
    #expect(walk.next == nil && walk.cursor == "b")
    #expect(Pagination(try .refundHistory(of: "1"), from: walk.cursor).next?.target.hasSuffix("revision=b") == true)
  }

  static let endless = [
    #"{"hasMore":true,"revision":"a"}"#, #"{"hasMore":true}"#, #"{"hasMore":true,"revision":""}"#, #"{"revision":"b"}"#,
    "{}",
  ]

  @Test(arguments: endless) func `a page that would make a walk endless ends it with an error`(_ body: String) throws {
    var walk = Pagination(try .refundHistory(of: "1"), from: "a")
    let error = #expect(throws: AppStoreFailure.self) { try walk.advance(over: Self.answer(body)) }
    #expect(error?.verdict == .unreadable)
  }
}
