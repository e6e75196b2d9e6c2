public import AppStore

/// A request for a refund. Apple states it when it asks for consumption information (`CONSUMPTION_REQUEST`).
public struct RefundRequest: Sendable, Equatable {
  /// What Apple decided about a request.
  public enum Outcome: String, Sendable, CaseIterable {
    /// Apple refunded the purchase.
    case refunded
    /// Apple declined the request and refunded nothing.
    case declined
  }

  /// When Apple asked for consumption information.
  public var requestedAt: Instant
  /// When the ledger learned of it.
  public var recordedAt: Instant
  /// Apple's `consumptionRequestReason`; `nil` when it is not stated.
  public var reason: String?
  /// The transaction id; `nil` when the notification names none.
  public var transactionID: String?
  /// The outcome; `nil` while the request is open.
  public var outcome: Outcome?
  /// When Apple decided; `nil` while the request is open.
  public var answeredAt: Instant?
}
