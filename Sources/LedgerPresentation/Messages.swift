import AppStore
import Ledger

/// The ledger's answers in plain words, for support staff.
package enum Messages {
  /// Returns an instant for people: `2026-03-01 10:00:00Z`. Programs get ISO 8601 with milliseconds.
  package static func instant(_ instant: Instant) -> String {
    let text = instant.description
    return text.prefix(10) + " " + text.dropFirst(11).prefix(8) + "Z"
  }

  package static func instant(_ instant: Instant?) -> String {
    instant.map { Self.instant($0) } ?? "an unknown instant"
  }

  /// Returns the text for evidence in which Apple stated no date (rules §1, evidence_at).
  package static func undated(_ bound: Instant?) -> String {
    guard let bound, bound.milliseconds > 0 else { return "undated" }
    return "undated; not before \(instant(bound))"
  }

  /// The warning about a receipt that states one instant twice, with different values.
  package static let contradiction = "This receipt contradicts itself: it may be forged or edited."

  /// Returns the trust of evidence, with the name of an added root.
  package static func trust(_ trust: Trust?, _ addedRoot: String?) -> String {
    let text = trust?.rawValue ?? "unknown trust"
    return addedRoot.map { "\(text) by an added root, \(Printable.text($0))" } ?? text
  }

  /// Returns the answer of signed evidence alone, for when unsigned evidence decided against it.
  package static func againstSigned(_ signed: Entitlement) -> String {
    "\(againstSigned) \(plainState(signed.state)). " + verdict(signed)
  }

  /// The beginning of the sentence about unsigned evidence that decided against signed evidence.
  package static let againstSigned = "Decided by unsigned evidence against signed: by signed evidence alone"

  package static func text(_ text: String?) -> String { text.map(Printable.text) ?? "–" }

  private static func plainState(_ state: Entitlement.State) -> String {
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
          ? "later evidence implies a renewal that was not imported."
          : "no later evidence was imported. A renewal may be missing.")
    }
  }

  /// Returns the sentence about one event of the history.
  package static func event(_ event: HistoryEvent) -> String {
    let product = text(event.productID)
    let transaction = event.transactionID.map { " (transaction \(Printable.text($0)))" } ?? ""
    switch event.kind {
    case .notification:
      return notification(event.detail, event.secondDetail, isRenewalOn: event.autoRenewStatus)
    case .sendAttempt:
      let type = event.secondDetail.map(Printable.text) ?? "a notification"
      return event.detail == "SUCCESS"
        ? "Apple delivered \(type)" : "Apple could not deliver \(type): \(text(event.detail))"
    case .trial: return "Free trial of \(product) began, until \(instant(event.relatedAt))\(transaction)"
    case .period:
      let verb = event.detail == "RENEWAL" ? "Renewed" : "Period of"
      let family =
        event.secondDetail == "FAMILY_SHARED"
        ? ", shared by family" : event.secondDetail == "ASSIGNED" ? ", an assigned seat" : ""
      return "\(verb) \(product) until \(instant(event.relatedAt))\(family)\(transaction)"
    case .purchase: return "Bought \(product)\(transaction)"
    case .revoked: return "\(revocation(event)) \(product)\(transaction)"
    case .upgraded: return "Upgraded from \(product); this purchase ended\(transaction)"
    case .changedAtOnce:
      return "Product changed immediately, from \(text(event.detail)) to \(product), within a period\(transaction)"
    case .changedAtRenewal:
      return "Product changed with the renewal, from \(text(event.detail)) to \(product)\(transaction)"
    case .changedOnReturn:
      return
        "Returned with \(product) instead of \(text(event.detail)), after a gap since \(instant(event.relatedAt))"
    case .returned: return "Returned, after a gap since \(instant(event.relatedAt))"
    case .renewalOn: return "Renewal was turned on"
    case .renewalOff: return "Renewal was turned off"
    case .productNext: return "Will renew to \(text(event.detail)) instead of \(product)"
    case .grace: return "Payment failed; access continues until \(instant(event.relatedAt)), in Apple's grace period"
    case .seatsAdded: return "\(text(event.detail)) seats were added, until \(instant(event.relatedAt))\(transaction)"
    case .seatsRefunded:
      return
        "Apple had refunded \(text(event.detail)) of \(text(event.secondDetail)) seats; the others stay\(transaction)"
    case .seatsNext: return "Will renew with \(text(event.detail)) seats instead of \(text(event.secondDetail))"
    case .retryBegan: return "Payment failed; Apple began to retry it"
    case .retryEnded: return "Apple stopped retrying the payment"
    case .priceIncrease:
      return event.detail == "1"
        ? "Price increase accepted, or announced without a need for consent" : "Price increase waits for an answer"
    }
  }

  private static func revocation(_ event: HistoryEvent) -> String {
    let reason = event.secondDetail == "1" ? " because of a problem in the app" : ""
    switch event.detail {
    case "FAMILY_REVOKE": return "Family sharing ended for"
    case "FAMILY_SHARED": return "Family sharing ended, or the purchaser got a refund, for"
    case "ASSIGNMENT_REVOKE": return "Assigned seat ended for"
    case "REFUND_PRORATED": return "Refunded in part\(reason):"
    default: return "Refunded\(reason):"
    }
  }

  /// Returns an amount of money in milliunits as text: `9.99 USD`.
  package static func amount(_ milliunits: Int64, _ currency: String?) -> String {
    "\(Currency.exact(milliunits, of: currency)) \(text(currency))"
  }
}
