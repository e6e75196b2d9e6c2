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

  /// Returns one to three sentences for a customer, ready to be sent. None promises what only Apple can do.
  package static func replies(_ card: CustomerCard) -> [String] {
    let access = card.accesses.first(where: \.hasAccess) ?? card.accesses.first
    let purchases = card.purchases.filter { $0.match.environment == Environment.production.name }
    let purchase =
      purchases.first { $0.match.originalTransactionID == access?.originalTransactionID } ?? purchases.first
    if let entitlement = purchase?.entitlement { return replies(entitlement) }
    guard let access, access.environment == Environment.production.name else {
      return ["We have no record of a purchase of yours.", restore, orderID]
    }
    let end = access.accessEndsAt.map { " until \(date($0))" } ?? ", without end"
    if access.hasAccess {
      return ["You have access\(end).", "If the app does not show it, please sign out there, and in again."]
    }
    return switch access.basis {
    case .grant: ["The access that we gave you has ended.", "You can buy it in the app."]
    case .seatClaim: ["You have no seat any more. Please ask the person who manages the seats."]
    case .oneTimePurchase, .subscription: ["Your purchase gives no access now.", restore, orderID]
    }
  }

  /// Returns one to three sentences for a customer about a subscription.
  package static func replies(_ entitlement: Entitlement) -> [String] {
    guard let reply = reply(entitlement) else {
      return ["Our record of your subscription is not complete.", restore, orderID]
    }
    guard entitlement.inAppOwnershipType == nil || entitlement.inAppOwnershipType == "PURCHASED" else { return [reply] }
    return switch (entitlement.state, entitlement.willRenew) {
    case (.active, false?): [reply, "You can turn renewal on again \(settings).", refund]
    case (.active, _): [reply, "You can cancel it \(settings). We cannot cancel it for you.", refund]
    case (.gracePeriod, _), (.billingRetry, _): [reply]
    case (.revoked, _): [reply, "You can buy it again in the app."]
    case (.expired, _): [reply, "If Apple still takes payments from you, \(anotherAccount)."]
    }
  }

  private static let settings = "on your device under Settings, your name, Subscriptions"
  private static let refund =
    "Only Apple can refund a payment. Please ask at reportaproblem.apple.com, with the Apple Account that paid."
  private static let restore =
    "Please open the app with the Apple Account that paid, and choose Restore Purchases there."
  private static let orderID = "If Apple sent you a receipt by mail, please send us its order id. It begins with M."
  private static let anotherAccount =
    "another Apple Account may have a subscription. Please send us the order id of Apple's receipt"

  private static let payment =
    " Please check the payment method of your Apple account, in the settings of your device."

  /// Returns a day (UTC) as people write it: `6 March 2026`.
  private static func date(_ instant: Instant?) -> String {
    guard let instant else { return "–" }
    let date = CivilDate(dayNumber: instant.milliseconds / 86_400_000)
    return "\(date.day) \(CivilDate.monthNames[Int(date.month) - 1]) \(date.year)"
  }
}
