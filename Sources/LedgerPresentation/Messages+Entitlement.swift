import AppStore
import Ledger

extension Messages {
  static func plainState(_ state: Entitlement.State) -> String {
    state.rawValue.replacing("_", with: " ")
  }

  /// Returns a state as text.
  package static func state(_ state: Entitlement.State) -> String {
    switch state {
    case .active: "active"
    case .gracePeriod: "in grace period"
    case .billingRetry: "in billing retry"
    case .expired: "expired"
    case .revoked: "revoked"
    }
  }

  /// Returns the sentence that answers whether the user has access.
  package static func verdict(_ entitlement: Entitlement) -> String {
    let end = instant(entitlement.accessEndsAt)
    switch entitlement.state {
    case .active: return "Has access until \(end)."
    case .gracePeriod: return "Has access until \(end): a payment failed, and Apple grants a grace period."
    case .billingRetry: return "Has had no access since \(end): a payment failed, and Apple still tries to collect it."
    case .revoked:
      if let revoked = entitlement.revokedAt, let expires = entitlement.expiresAt, expires < revoked {
        return "Has had no access since \(end), when the period ended. The purchase was refunded or revoked later."
      }
      return "Has had no access since \(end): the purchase was refunded or revoked."
    case .expired:
      let isStated = !entitlement.isRenewalContradictory
      let reason = isStated ? entitlement.expirationReason.map { ": " + Messages.reason($0) } ?? "" : ""
      return "Has had no access since \(end)\(reason)."
    }
  }

  package static func reason(_ reason: Entitlement.ExpirationReason) -> String {
    switch reason {
    case .customerCancelled: "the customer had turned off renewal"
    case .billingError: "the payment could not be collected"
    case .priceIncreaseNotAccepted: "the customer did not accept a price increase"
    case .productUnavailable: "the product was no longer for sale"
    case .other: "for another reason, which Apple did not name"
    }
  }

  /// Returns the sentence that explains the rule that decided (rules §4 and §5).
  package static func rule(_ entitlement: Entitlement) -> String {
    let end = instant(entitlement.expiresAt)
    switch entitlement.rule {
    case .covered:
      return "The latest purchase had begun, was not revoked, and runs until \(end)."
    case .revoked:
      return
        "The latest purchase was refunded or revoked at \(instant(entitlement.revokedAt)). Earlier ones do not count."
    case .grace:
      return
        "The paid period ended at \(end). Apple's grace period runs until \(instant(entitlement.gracePeriodExpiresAt))."
    case .retry:
      return
        "The paid period ended at \(end), any grace period is over, and Apple still tries to collect the payment."
    case .retryExhausted:
      return "The paid period ended at \(end), and the 60 days in which Apple tries to collect a payment are over."
    case .lapsed:
      return "The paid period ended at \(end), and later evidence shows no renewal."
    case .superseded:
      return "An upgrade replaced the latest known purchase, and the new purchase was not imported."
    // The other rules decide about one-time purchases and grants, and never about a subscription.
    case .unconfirmed, .bought, .withinDuration, .durationOver, .consumable, .unknownType, .granted, .grantEnded,
      .grantRevoked:
      if entitlement.isContradictory {
        return "The paid period ended at \(end), and the later evidence contradicts itself."
      }
      let hasLaterEvidence =
        entitlement.expiresAt.map { end in entitlement.evidenceAt.map { $0 >= end } ?? false } ?? false
      return "The paid period ended at \(end), and "
        + (hasLaterEvidence
          ? "later evidence does not show that it was the last one. A renewal may be missing."
          : "no later evidence was imported. A renewal may be missing.")
    }
  }
}
