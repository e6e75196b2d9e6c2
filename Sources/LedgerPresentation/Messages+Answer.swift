import AppStore
import Ledger

/// The sentences that answer whether a person has access.
extension Messages {
  /// Returns the answer about a customer: a sentence for each entitlement, and what is missing where there is none.
  package static func answer(_ card: CustomerCard) -> [String] {
    guard card.accesses.isEmpty else { return card.accesses.map { answer($0, card) } }
    if !card.purchases.isEmpty {
      return ["Has no entitlement: no catalogue names one for these products."]
        + card.purchases.compactMap { card in card.entitlement.map { "\(text($0.productID)): \(verdict($0))" } }
    }
    if !card.attempts.isEmpty {
      return ["Has no access: no evidence of a purchase arrived, only reports of the device."]
    }
    return ["Has no access: nothing that Apple stated, no link and no grant names this customer."]
  }

  private static func answer(_ access: CustomerAccess, _ card: CustomerCard) -> String {
    let purchase = card.purchases.first {
      $0.match.originalTransactionID == access.originalTransactionID && $0.match.environment == access.environment
    }
    let sentence = answer(access, purchase?.entitlement)
    return environmentWarning(access.environment).map { "\($0). \(sentence)" } ?? sentence
  }

  /// Returns the sentence about one entitlement of a customer.
  /// - Parameter entitlement: the state of the subscription that gives it, where one does.
  package static func answer(_ access: CustomerAccess, _ entitlement: Entitlement? = nil) -> String {
    let name = Printable.text(access.entitlement)
    let end = access.accessEndsAt.map { instant($0) }
    let since = end.map { " since \($0)" } ?? ""
    switch access.state {
    case .active:
      let until = end.map { " until \($0)" } ?? ", without end"
      let source =
        switch access.basis {
        case .grant: ", by our own grant"
        case .seatClaim: ", by a seat that somebody else bought"
        case .oneTimePurchase: ", bought once"
        case .subscription: entitlement?.willRenew == false ? ". It will not renew" : ""
        }
      return "Has \(name)\(until)\(source)."
    case .gracePeriod:
      return
        "Has \(name)\(end.map { " until \($0)" } ?? ""), in a grace period: a payment failed, and Apple tries again."
    case .billingRetry:
      return "Has had no \(name)\(since): a payment failed, and Apple still tries to collect it."
    case .expired:
      guard access.basis == .subscription, let entitlement else { return "Has had no \(name)\(since): it ended." }
      guard entitlement.isConfirmed || entitlement.rule == .lapsed else {
        return "Has had no \(name)\(since), as far as is known: no evidence from after the end arrived."
      }
      let reason = entitlement.isRenewalContradictory ? nil : entitlement.expirationReason
      return "Has had no \(name)\(since)\(reason.map { ": \(Messages.reason($0))" } ?? ": it ended")."
    case .revoked:
      return access.basis == .grant
        ? "Has had no \(name)\(since): our grant was revoked."
        : "Has had no \(name)\(since): the purchase was refunded or revoked."
    case .consumable: return "Has no \(name): a consumable gives no access."
    case .unknown: return "Has no \(name): the type of the product is not known. Import a catalogue that states it."
    case .notBegun: return "Has no \(name) yet: our grant has not begun."
    }
  }
}
