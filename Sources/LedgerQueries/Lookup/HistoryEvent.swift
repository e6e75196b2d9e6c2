public import AppStore

/// One event in the history of an original transaction, as a row of the view `history_event`.
public struct HistoryEvent: Sendable {
  /// The kind of event: what happened.
  public var kind: Kind
  /// When it happened, as Apple stated it.
  public var happenedAt: Instant
  /// Whether Apple stated no date for it. It then happened at ``happenedAt`` or later (rules §1).
  public var isInferred: Bool
  /// When the ledger learned of it.
  public var recordedAt: Instant
  /// The transaction id; `nil` when the event names none.
  public var transactionID: String?
  /// The product id of the transaction; `nil` when the event names none.
  public var productID: String?
  /// The first detail: the type of a notification or of a revocation, the next product, or a number of seats.
  public var detail: String?
  /// The second detail: the subtype of a notification, or the reason of a revocation.
  public var secondDetail: String?
  /// An instant that the event names: the end of the period or of the grace period.
  public var relatedAt: Instant?
  /// For a change of auto-renewal and its notification: whether auto-renewal was turned on.
  public var autoRenewStatus: Bool?
  /// The digest of the payload that states it.
  public var payload: ContentDigest
}

extension HistoryEvent {
  /// What can happen in the history of an original transaction: the events of the view `history_event`.
  public enum Kind: String, Sendable, CaseIterable {
    /// Apple sent a notification.
    case notification
    /// Apple tried to send a notification, as its API states.
    case sendAttempt = "send_attempt"
    /// A period of a subscription began.
    case period
    /// A free trial began.
    case trial
    /// A one-time purchase was bought.
    case purchase
    /// Apple refunded the purchase or took it back.
    case revoked
    /// An upgrade replaced the purchase.
    case upgraded
    /// The product changed within a period.
    case changedAtOnce = "changed_at_once"
    /// The product changed with a renewal.
    case changedAtRenewal = "changed_at_renewal"
    /// The customer returned after a gap, with another product.
    case changedOnReturn = "changed_on_return"
    /// The customer returned after a gap.
    case returned
    /// Renewal was turned on.
    case renewalOn = "renewal_on"
    /// Renewal was turned off.
    case renewalOff = "renewal_off"
    /// The product of the next renewal changed.
    case productNext = "product_next"
    /// The payment failed, and a grace period began.
    case grace
    /// The payment failed, and Apple began to try again.
    case retryBegan = "retry_began"
    /// Apple stopped trying to collect the payment.
    case retryEnded = "retry_ended"
    /// A price increase was announced, accepted or refused.
    case priceIncrease = "price_increase"
    /// Seats were added within a period.
    case seatsAdded = "seats_added"
    /// Apple refunded some of the seats.
    case seatsRefunded = "seats_refunded"
    /// The number of seats at the next renewal changed.
    case seatsNext = "seats_next"
  }
}
