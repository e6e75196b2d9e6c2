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
}
