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
