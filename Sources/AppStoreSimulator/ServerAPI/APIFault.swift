import AppStore

/// A fault on demand: what an endpoint answers to the next requests in place of the truth.
public struct APIFault: Sendable, Equatable {
  /// The kinds of fault, as a user names them.
  public enum Kind: String, Sendable, CaseIterable {
    /// Too many requests: 429 with `Retry-After`, a minute from now.
    case tooManyRequests = "429"
    /// Apple's error 5000000: unknown.
    case unknown = "500"
    /// Apple's error 5000001: unknown, and worth another try.
    case tryAgain = "5000001"
    /// An answer of a server in front of Apple's: 503 without JSON.
    case unavailable = "503"
    /// The key was revoked: 401 without a body.
    case revokedKey = "401"
    /// The id is not known yet: 4040010.
    case notYetKnown = "4040010"
    /// The original transaction id is not known yet: 4040006.
    case notYetKnownOriginal = "4040006"
    /// Apple's error 4040002: the account is not found, try again.
    case accountNotYetKnown = "4040002"
    /// Apple's error 4040004: the app is not found, try again.
    case appNotYetKnown = "4040004"
    /// Apple's error 4040019: the customer has no app transaction.
    case noAppTransaction = "4040019"
    /// Apple's error 4000002: the app's identifier is not valid.
    case invalidAppIdentifier = "4000002"
    /// The right answer, some seconds late.
    case slow
    /// The first half of the right answer, then the end of the connection.
    case torn
    /// The status 200 without a body.
    case empty
    /// The end of the connection in place of an answer. Where the answer was a page, the page is lost.
    case lost
  }

  /// The kind of fault.
  public let kind: Kind
  /// The endpoint that has the fault; `nil` for all.
  public let endpoint: APIEndpoint?
  /// How many requests still meet it.
  public internal(set) var requests: Int
  /// How late a slow answer is, or how long a client that asks too often must wait, in seconds.
  public let seconds: Int

  /// Creates a fault that the next requests meet.
  /// - Parameters:
  ///   - kind: the kind of fault.
  ///   - endpoint: the endpoint that has the fault; `nil` for all.
  ///   - requests: how many requests meet it.
  ///   - seconds: how late a slow answer is (10), or how long a client must wait after a 429 (60).
  public init(_ kind: Kind, endpoint: APIEndpoint? = nil, requests: Int = 1, seconds: Int? = nil) {
    (self.kind, self.endpoint, self.requests) = (kind, endpoint, requests)
    self.seconds = seconds ?? (kind == .tooManyRequests ? 60 : 10)
  }

  /// Returns the answer of a fault that has nothing of the truth; `nil` for other faults.
  func answer(now: Instant) -> APIResponse? {
    switch kind {
    case .tooManyRequests: APIError.rateLimitExceeded.answer(again: now + Int64(seconds) * 1000)
    case .unknown: APIError.unknown.response
    case .tryAgain: APIError.unknownTryAgain.response
    case .unavailable: APIResponse(503)
    case .revokedKey: APIResponse(401)
    case .notYetKnown: APIError.transactionIDNotFound.response
    case .notYetKnownOriginal: APIError.originalTransactionIDNotFoundTryAgain.response
    case .accountNotYetKnown: APIError.accountNotFoundTryAgain.response
    case .appNotYetKnown: APIError.appNotFoundTryAgain.response
    case .noAppTransaction: APIError.appTransactionNotFound.response
    case .invalidAppIdentifier: APIError.invalidAppIdentifier.response
    case .empty: APIResponse(200)
    case .slow, .torn, .lost: nil
    }
  }

  /// Changes how the right answer is sent.
  func spoil(_ response: inout APIResponse) {
    switch kind {
    case .slow: response.manner = .slow(seconds: seconds)
    case .torn: response.manner = .torn
    case .lost: response.manner = .lost
    default: break
    }
  }
}

extension LocalAppStore {
  /// Adds a fault on demand. Faults of one endpoint come one after the other.
  public mutating func add(_ fault: APIFault) { faults.append(fault) }

  /// Adds a fault of the delivery for the next notifications.
  public mutating func add(_ fault: WebhookFault, notifications: Int) { outbox.faults.append((fault, notifications)) }

  /// Removes all faults that were added.
  public mutating func removeFaults() {
    faults = []
    outbox.faults = []
  }

  /// The faults that requests will still meet, in the order in which they were asked for.
  public var comingFaults: [APIFault] { faults }

  /// Returns the fault that a request meets, and counts it.
  mutating func takeFault(_ endpoint: APIEndpoint) -> APIFault? {
    guard let index = faults.firstIndex(where: { $0.endpoint.map { $0 == endpoint } ?? true }) else { return nil }
    let fault = faults[index]
    faults[index].requests -= 1
    if faults[index].requests <= 0 { faults.remove(at: index) }
    return fault
  }
}
