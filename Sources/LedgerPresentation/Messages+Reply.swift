import AppStore
import Ledger

/// The sentences that support can send to a customer.
extension Messages {
  /// Returns one or two sentences for the customer about a subscription at present, ready to be sent. `nil` where nothing
  /// is certain, and for what is not a real purchase.
  package static func reply(_ entitlement: Entitlement) -> String? {
    guard entitlement.environment == Environment.production.name, !entitlement.isContradictory,
      entitlement.hasAccess || entitlement.isConfirmed
    else { return nil }
    let subscription =
      switch entitlement.inAppOwnershipType {
      case "FAMILY_SHARED": "The subscription that a family member shares with you"
      case "ASSIGNED": "The subscription in which you have a seat"
      default: "Your subscription"
      }
    let isOwn = entitlement.inAppOwnershipType == nil || entitlement.inAppOwnershipType == "PURCHASED"
    let end = date(entitlement.accessEndsAt)
    switch entitlement.state {
    case .active:
      let next =
        switch entitlement.willRenew {
        case true?: "It renews on \(date(entitlement.expiresAt))."
        case false?: "It does not renew, because automatic renewal is off."
        case nil: nil as String?
        }
      return "\(subscription) is active until \(end)." + (next.map { " " + $0 } ?? "")
    case .gracePeriod:
      return "\(subscription) could not be paid. You have access until \(end), while Apple tries again."
        + (isOwn ? payment : "")
    case .billingRetry:
      return "\(subscription) could not be paid, so your access ended on \(end). It returns when Apple can collect the "
        + "payment." + (isOwn ? payment : "")
    case .revoked:
      return isOwn
        ? "Apple refunded your purchase on \(date(entitlement.revokedAt)), so your access ended."
        : "\(subscription) ended for you on \(date(entitlement.revokedAt))."
    case .expired:
      return "\(subscription) ended on \(end)." + (isOwn ? " You can subscribe again in the app." : "")
    }
  }

  private static let payment =
    " Please check the payment method of your Apple account, in the settings of your device."

  /// Returns a day (UTC) as people write it: `6 March 2026`.
  private static func date(_ instant: Instant?) -> String {
    guard let instant else { return "–" }
    let names = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
      "December",
    ]
    let date = CivilDate(dayNumber: instant.milliseconds / 86_400_000)
    return "\(date.day) \(names[Int(date.month) - 1]) \(date.year)"
  }
}
