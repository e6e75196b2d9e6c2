public import AppStore

/// An answer of a local App Store, with how it is to be sent.
public struct APIResponse: Sendable {
  /// The status of HTTP.
  public var status: Int
  /// The body: a JSON object, UTF-8, or empty.
  public var body: [UInt8]
  /// The value of the header `Retry-After`: the instant from which requests are answered again, which Apple writes in
  /// milliseconds since 1970; `nil` for no such header.
  public var retryAfter: Instant?
  /// How the answer is to be sent.
  public var manner = Manner.whole
  /// The endpoint that was asked; `nil` for an unknown path.
  public var endpoint: APIEndpoint?
  /// Why the request's token was refused, for the log of requests; `nil` where it was not. Apple does not say it.
  public var refusal: String?

  /// The fault on demand that made or changed this answer; `nil` for the truth.
  public var fault: APIFault.Kind?

  /// The ways to send an answer.
  public enum Manner: Sendable, Equatable {
    /// All of it, at once.
    case whole
    /// All of it, some seconds late.
    case slow(seconds: Int)
    /// The first half, then the end of the connection.
    case torn
    /// Only the end of the connection.
    case lost
  }

  /// Creates an answer from a status and a body.
  public init(_ status: Int, _ body: [UInt8] = [], refusal: String? = nil) {
    (self.status, self.body, self.refusal) = (status, body, refusal)
  }
}
