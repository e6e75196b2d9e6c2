/// The rule that decided a state, by its name in the views (rules §4, §5 and §9).
public enum Rule: String, Sendable, CaseIterable {
  // MARK: - Subscriptions

  /// A period covers the instant (rules §4b and §4d).
  case covered
  /// Apple refunded the purchase or took it back (rules §4a and §9).
  case revoked
  /// The payment failed, and Apple's grace period covers the instant (rules §5a).
  case grace
  /// The payment failed, and Apple still tries to collect it (rules §5b).
  case retry
  /// Apple tried for 60 days to collect the payment (rules §5c).
  case retryExhausted = "retry_exhausted"
  /// The last period has ended, as later evidence confirms (rules §5d).
  case lapsed
  /// The last period has ended, as far as the ledger knows (rules §5e).
  case unconfirmed
  /// An upgrade replaced the purchase, and the new purchase is missing (rules §4c).
  case superseded

  // MARK: - One-time purchases

  /// It was bought, and has no end (rules §9).
  case bought
  /// The duration that the catalogue states covers the instant (rules §9).
  case withinDuration = "within_duration"
  /// The duration that the catalogue states is over (rules §9).
  case durationOver = "duration_over"
  /// It is a consumable (rules §9).
  case consumable
  /// Nothing states the type of its product (rules §9).
  case unknownType = "unknown_type"

  // MARK: - Grants

  /// A grant of the staff covers the instant (rules §9).
  case granted
  /// The grant has ended (rules §9).
  case grantEnded = "grant_ended"
  /// The staff revoked the grant (rules §9).
  case grantRevoked = "grant_revoked"
}
