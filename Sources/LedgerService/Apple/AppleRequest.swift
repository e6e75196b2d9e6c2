public import AppStore
public import LedgerStore

/// A request that was sent to Apple, and what became of it.
public struct AppleRequest: Sendable {
  /// Why a request is sent.
  public enum Occasion: Sendable, Equatable {
    /// A person asked, by a command or on a page.
    case command
    /// The server looked for notifications that it missed.
    case notificationHistory
    /// A question was open.
    case question(OpenQuestion.Reason)

    /// The stable name, as the ledger stores it.
    public var name: String {
      switch self {
      case .command: "command"
      case .notificationHistory: "notification_history"
      case .question(let reason): reason.rawValue
      }
    }
  }

  /// Why it was sent.
  public var occasion: Occasion
  /// The endpoint, by the stable name that the client gives it.
  public var endpoint: String
  /// The environment that was asked.
  public var environment: Environment
  /// The app for which the request was sent.
  public var bundleID: String
  /// The id that it was about; `nil` where it was about none.
  public var subject: String?
  /// When it was sent.
  public var askedAt: Instant
  /// How long the answer took, in milliseconds.
  public var duration: Int64
  /// The status of HTTP; `nil` where no answer came.
  public var status: Int?
  /// Apple's error code, or the status of verifyReceipt; `nil` where the answer has none.
  public var code: Int64?
  /// What became of it.
  public var verdict: RequestVerdict
  /// The number of payloads in the answer.
  public var payloadCount = 0
  /// The number of payloads that the ledger did not have before.
  public var recordedCount = 0

  /// Creates a request without an answer.
  public init(
    occasion: Occasion, endpoint: String, environment: Environment, bundleID: String, subject: String?,
    askedAt: Instant, duration: Int64, status: Int?, code: Int64?, verdict: RequestVerdict
  ) {
    (self.occasion, self.endpoint, self.environment) = (occasion, endpoint, environment)
    (self.bundleID, self.subject, self.askedAt, self.duration) = (bundleID, subject, askedAt, duration)
    (self.status, self.code, self.verdict) = (status, code, verdict)
  }
}

extension EvidenceTransaction {
  /// Records the requests that led to an answer. The last one got it.
  package func log(_ requests: [AppleRequest], answered results: [ArrivalResult]) throws {
    for (number, request) in requests.enumerated() {
      var request = request
      if number == requests.count - 1 {
        (request.payloadCount, request.recordedCount) = (results.count, results.count { $0 == .recorded })
      }
      try log(request)
    }
  }

  /// Records a request to Apple, in the transaction of its answer.
  package func log(_ request: AppleRequest) throws {
    try insert(
      "apple_request",
      [
        "occasion": request.occasion.name, "endpoint": request.endpoint, "environment": request.environment.name,
        "bundle_id": request.bundleID, "subject": request.subject, "asked_at": request.askedAt.milliseconds,
        "duration_milliseconds": request.duration, "http_status": request.status, "error_code": request.code,
        "verdict": request.verdict.rawValue, "payload_count": request.payloadCount,
        "recorded_count": request.recordedCount,
      ])
  }
}

extension LedgerReader {
  /// Returns how many requests to Apple the ledger has written down.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func appleRequestCount() throws -> Int64 {
    try lookUp { try $0.id("SELECT COUNT(*) FROM main.apple_request", []) ?? 0 }
  }

  /// Returns how many notifications of an environment the ledger has.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func notificationCount(in environment: Environment) throws -> Int64 {
    try lookUp {
      try $0.id(
        """
        SELECT COUNT(*) FROM main.notification n JOIN main.payload p USING (payload_id) WHERE p.environment = ?
        """, [environment.name]) ?? 0
    }
  }
}
