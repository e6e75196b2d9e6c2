import AppStore
import Ledger

extension Messages {
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
    case .revoked:
      let verb = revocation(event.detail, isFamilyShared: event.detail == "FAMILY_SHARED")
      return "\(verb)\(event.secondDetail == "1" ? problemInApp : ""): \(product)\(transaction)"
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

  /// Returns how Apple ended a transaction, without its end.
  /// - Parameters:
  ///   - type: Apple's `revocationType`.
  ///   - isFamilyShared: whether a member of the family had the purchase.
  static func revocation(_ type: String?, isFamilyShared: Bool) -> String {
    switch type {
    case "FAMILY_REVOKE": "Family sharing ended"
    case "ASSIGNMENT_REVOKE": "The assigned seat ended"
    case "REFUND_PRORATED": "Refunded in part by Apple"
    default: isFamilyShared ? "Family sharing ended, or the purchaser got a refund" : "Refunded by Apple"
    }
  }

  /// What follows a refund whose `revocationReason` is 1.
  static let problemInApp = " because of a problem in the app"
}
