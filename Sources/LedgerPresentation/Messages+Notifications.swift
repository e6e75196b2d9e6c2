import AppStore
import Ledger

/// The meaning of Apple's notifications in plain words. The keys are `notificationType` and `subtype` of App Store
/// Server Notifications, and `notification_type` of V1.
extension Messages {
  /// Whether a type of notification has an explanation: Apple documents it.
  package static func explains(notification type: String) -> Bool {
    notifications[type] != nil || documented.contains(type)
  }

  private static let documented = Set(notifications.keys.compactMap { $0.split(separator: "/").first.map(String.init) })

  private static let notifications: [String: String] = [
    "SUBSCRIBED/INITIAL_BUY": "Subscribed for the first time",
    "SUBSCRIBED/RESUBSCRIBE": "Subscribed again",
    "INITIAL_BUY": "Subscribed for the first time",
    "INTERACTIVE_RENEWAL": "Renewed, upgraded or subscribed again by the customer",
    "DID_RENEW": "Renewed",
    "RENEWAL": "Renewed after a failed payment",
    "DID_RECOVER": "Renewed after a failed payment",
    "DID_RENEW/BILLING_RECOVERY": "Renewed after a failed payment",
    "DID_CHANGE_RENEWAL_PREF": "Product for the next renewal changed",
    "DID_CHANGE_RENEWAL_PREF/UPGRADE": "Upgraded immediately",
    "DID_CHANGE_RENEWAL_PREF/DOWNGRADE": "Downgrade chosen, for the next renewal",
    "DID_CHANGE_RENEWAL_STATUS": "Renewal turned on or off",
    "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED": "Renewal turned on",
    "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED": "Renewal turned off",
    "DID_CHANGE_RENEWAL_PREF/INCREASE_QUANTITY": "Seats added, or fewer seats at the next renewal undone",
    "DID_CHANGE_RENEWAL_PREF/DECREASE_QUANTITY": "Fewer seats chosen, for the next renewal",
    "OFFER_REDEEMED": "Offer redeemed",
    "OFFER_REDEEMED/UPGRADE": "Offer redeemed, with an immediate upgrade",
    "OFFER_REDEEMED/DOWNGRADE": "Offer redeemed, with a downgrade at the next renewal",
    "DID_FAIL_TO_RENEW": "Payment failed",
    "DID_FAIL_TO_RENEW/GRACE_PERIOD": "Payment failed, and a grace period began",
    "GRACE_PERIOD_EXPIRED": "Grace period ended, and Apple continues to retry the payment",
    "EXPIRED": "Expired",
    "EXPIRED/VOLUNTARY": "Expired: the customer had turned off renewal",
    "EXPIRED/BILLING_RETRY": "Expired: the payment could not be collected",
    "EXPIRED/PRICE_INCREASE": "Expired: a price increase was not accepted",
    "EXPIRED/PRODUCT_NOT_FOR_SALE": "Expired: the product was no longer for sale",
    "PRICE_INCREASE/PENDING": "Asked to accept a price increase",
    "PRICE_INCREASE/ACCEPTED": "Price increase accepted, or announced without a need for consent",
    "PRICE_INCREASE_CONSENT": "Asked to accept a price increase",
    "REFUND": "Refunded",
    "REFUND/SEATS": "Some seats refunded; the purchase stays valid",
    "CANCEL": "Refunded by Apple's support",
    "REFUND_DECLINED": "Refund declined",
    "REFUND_REVERSED": "Refund reversed: the purchase counts again",
    "CONSUMPTION_REQUEST": "Refund requested: Apple asks how the purchase was used",
    "REVOKE": "Family sharing ended",
    "RENEWAL_EXTENDED": "Renewal date extended",
    "RENEWAL_EXTENSION/FAILURE": "Renewal date could not be extended",
    "ONE_TIME_CHARGE": "Bought once",
    "RESCIND_CONSENT": "A parent withdrew consent for the app",
    "MIGRATION": "Moved to Advanced Commerce",
    "MIGRATE": "Moved to Advanced Commerce",
    "METADATA_UPDATE": "Description of the subscription changed by the developer",
    "PRICE_CHANGE": "Price changed by the developer",
    "UNCLAIM_SEATS": "Claims of seats released by Apple",
    "TEST": "Test of the notifications",
  ]

  /// Returns a sentence such as `Apple sent DID_FAIL_TO_RENEW: payment failed`; only the name for an unknown type.
  /// - Parameter isRenewalOn: whether its renewal info states that renewal is on, because V1 has no subtype for that.
  package static func notification(_ type: String?, _ subtype: String?, isRenewalOn: Bool? = nil) -> String {
    let name = type ?? "a notification"
    if name == "DID_CHANGE_RENEWAL_STATUS", subtype == nil, let isRenewalOn {
      return "Apple sent \(name): renewal turned \(isRenewalOn ? "on" : "off")"
    }
    let code = name + (subtype.map { "/" + $0 } ?? "")
    let shown = Printable.text(code)
    guard let words = notifications[code] ?? notifications[name] else { return "Apple sent \(shown)" }
    return "Apple sent \(shown): \(words.prefix(1).lowercased() + words.dropFirst())"
  }
}
