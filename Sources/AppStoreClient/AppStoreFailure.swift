public import AppStore

/// Why a request to Apple got no answer that can be used.
public struct AppStoreFailure: Error, Sendable, CustomStringConvertible {
  /// The request that failed.
  public let request: AppStoreRequest
  /// The environment that was asked.
  public let environment: Environment
  /// The instant of the failure.
  public let at: Instant
  /// The class of the failure.
  public let verdict: RequestVerdict
  /// The status of HTTP; `nil` where no answer came.
  public let status: Int?
  /// Apple's error code, or the status of verifyReceipt; `nil` where the answer has none.
  public let code: Int64?
  /// When Apple may be asked again, where Apple said so or the client knows; `nil` otherwise.
  public let retryAt: Instant?
  /// What happened, in words.
  public let detail: String
  /// The requests that were sent, in their order. It is empty where nothing was sent.
  public internal(set) var attempts: [AppStoreAttempt] = []

  init(
    _ request: AppStoreRequest, _ environment: Environment, at instant: Instant, _ verdict: RequestVerdict,
    status: Int? = nil, code: Int64? = nil, retryAt: Instant? = nil, detail: String
  ) {
    (self.request, self.environment, self.at, self.verdict) = (request, environment, instant, verdict)
    (self.status, self.code, self.retryAt, self.detail) = (status, code, retryAt, detail)
  }

  /// What was asked, what happened and what to do next. It contains no secret.
  public var description: String {
    let number = code.map { " with \($0)" } ?? status.map { " with the status \($0)" } ?? ""
    let answer = verdict == .unreachable ? "did not answer" : "answered\(number)"
    return "\(environment.appleServer) \(answer) to \(request.endpoint.rawValue). "
      + ([detail, advice].filter { !$0.isEmpty }.joined(separator: " "))
  }

  private var advice: String {
    switch verdict {
    case .answered: ""
    case .tryAgain: "Ask again later."
    case .tooManyRequests: "Ask again \(retryAt.map { "after \($0)" } ?? "later")."
    case .unknownTransaction:
      "Check the id. Apple may also not know a new purchase for some hours."
    case .otherEnvironment: "The receipt belongs to neither environment, or to both."
    case .notYetKnown: "Ask again in some seconds."
    case .wrongRequest: "The same request never succeeds. Check its ids and values."
    case .refusedByRule: ""
    case .wrongSettings: settingsAdvice
    case .unreachable: "Check the network, the proxy and the address."
    case .unreadable: "Check that the address is Apple's, and that no proxy answers in its place."
    }
  }

  private var settingsAdvice: String {
    switch code {
    case 21_004: "Check the app's shared secret."
    case .some: "Check the bundle id, and that the key belongs to the app's team."
    case nil:
      "Check the key's file, its id and the issuer id, that the key was not revoked in App Store Connect, and the clock of "
        + "this machine. Production also answers so for an app that was never released."
    }
  }

  /// Returns this failure with other words about what happened.
  func replacingDetail(_ detail: String) -> AppStoreFailure {
    var failure = AppStoreFailure(
      request, environment, at: at, verdict, status: status, code: code, retryAt: retryAt, detail: detail)
    failure.attempts = attempts
    return failure
  }

  /// Returns this failure after earlier requests.
  func after(_ earlier: [AppStoreAttempt]) -> AppStoreFailure {
    var failure = self
    failure.attempts = earlier + attempts
    return failure
  }

  /// Apple's words for the errors that a rule of the App Store causes.
  static func text(for code: Int64) -> String? {
    switch code {
    case 4_030_004: "This subscription cannot be extended now: it is a free offer, expired, or its payment failed."
    case 4_030_005: "This subscription was extended twice in the last 365 days. Apple allows no more."
    case 4_030_007: "A family member's subscription cannot be extended. Extend the purchaser's."
    case 4_030_028: "An assigned seat cannot be extended. Extend the purchaser's subscription."
    case 4_040_007: "App Store Connect has no address for notifications of this environment. Enter one there."
    case 4_000_187: "This is not the id of an original transaction. Use the original transaction id."
    case 4_000_185: "This is a family member's purchase. Use the purchaser's."
    case 4_000_209: "The consumption of a subscription is counted by Apple. Leave it out."
    default: nil
    }
  }
}

/// One request as it was sent, and what became of it.
public struct AppStoreAttempt: Sendable {
  /// The request that was sent.
  public let request: AppStoreRequest
  /// The environment that was asked.
  public let environment: Environment
  /// When it was sent.
  public let askedAt: Instant
  /// How long the answer took.
  public let duration: Duration
  /// The status of HTTP; `nil` where no answer came.
  public let status: Int?
  /// Apple's error code, or the status of verifyReceipt; `nil` where the answer has none.
  public let code: Int64?
  /// What became of it.
  public internal(set) var verdict: RequestVerdict
  /// The end of verifyReceipt, as Apple's header `Sunset` states it; `nil` without that header.
  public let sunset: Instant?
}
