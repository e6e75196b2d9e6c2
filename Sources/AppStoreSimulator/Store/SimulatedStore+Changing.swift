import AppStore

/// Changes of a running subscription: another product, an offer, a new device.
extension SimulatedStore {
  mutating func change(_ index: Int, to product: Int) throws(ActionError) {
    try requireActive(index, notCharged: true)
    let (present, wanted) = (catalog.products[subscriptions[index].last.product], catalog.products[product])
    guard wanted.group == subscriptions[index].group else {
      throw ActionError(.unknownProduct, "\(wanted.id) is in another group: it is bought, not changed to")
    }
    guard subscriptions[index].last.commitment == nil else {
      throw ActionError(.wrongState, "a year that is billed by the month runs to its end")
    }
    guard subscriptions[index].nextProduct != product else {
      throw ActionError(.wrongState, "\(wanted.id) comes next already")
    }
    subscriptions[index].priceIncrease = nil
    subscriptions[index].offers = []
    subscriptions[index].nextIsBilledMonthly = false
    let isAtOnce =
      wanted.level < present.level
      || wanted.level == present.level && wanted.period?.description == present.period?.description
    let wasOff = !subscriptions[index].autoRenews
    subscriptions[index].autoRenews = true
    guard isAtOnce, wanted.id != present.id else {
      subscriptions[index].nextProduct = product
      planCharge(index)
      let subtype = wanted.id == present.id ? nil : "DOWNGRADE"
      emit("DID_CHANGE_RENEWAL_PREF", subtype, v1: "DID_CHANGE_RENEWAL_PREF", subscription: index)
      return emitRenewal(index, isOnAgain: wasOff)
    }
    upgrade(index, to: product)
    emit("DID_CHANGE_RENEWAL_PREF", "UPGRADE", v1: "INTERACTIVE_RENEWAL", subscription: index)
    emitRenewal(index, isOnAgain: wasOff)
    for member in members(of: index) {
      guard wanted.isFamilyShareable || subscriptions[member].isAssigned else {
        takeBack(member, reason: 0)
        continue
      }
      markUpgraded(member)
      mirror(index, to: member, isRenewal: false)
      emit("DID_CHANGE_RENEWAL_PREF", "UPGRADE", v1: "INTERACTIVE_RENEWAL", subscription: member)
    }
  }

  private mutating func emitRenewal(_ index: Int, isOnAgain: Bool) {
    guard isOnAgain else { return }
    subscriptions[index].autoRenewChangedAt = clock
    emit("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", v1: "DID_CHANGE_RENEWAL_STATUS", subscription: index)
  }

  private mutating func upgrade(_ index: Int, to product: Int) {
    markUpgraded(index)
    start(index, product: product, billedMonthly: false)
  }

  /// Marks the running period as upgraded, under every transaction id that it has.
  private mutating func markUpgraded(_ index: Int) {
    for one in subscriptions[index].samePeriod(as: subscriptions[index].last)
    where subscriptions[index].transactions[one].revocation == nil {
      subscriptions[index].transactions[one].upgradedAt = clock
    }
  }

  mutating func redeem(_ index: Int, _ name: String) throws(ActionError) {
    try requireActive(index, notCharged: true)
    let sold = catalog.products[subscriptions[index].nextProduct]
    let mine = sold.offers.filter { $0.type == 2 || $0.type == 3 }
    guard let offer = mine.first(where: { $0.identifier == name }) else {
      throw ActionError(
        .unknownOffer,
        "\(sold.id) has no such offer for subscribers; it has \(mine.compactMap(\.identifier).joined(separator: ", "))")
    }
    guard !subscriptions[index].offers.contains(where: { $0.terms == offer }), subscriptions[index].last.offer != offer
    else {
      throw ActionError(.unknownOffer, "offer \(name) is redeemed already")
    }
    let wasOff = !subscriptions[index].autoRenews
    subscriptions[index].autoRenews = true
    subscriptions[index].offers.append((offer, offer.transactionCount))
    planCharge(index)
    emit("OFFER_REDEEMED", v1: nil, subscription: index)
    emitRenewal(index, isOnAgain: wasOff)
  }

  mutating func restore(_ index: Int) throws(ActionError) {
    try requireActive(index, notCharged: true)
    guard subscriptions[index].seating == nil else {
      throw ActionError(.wrongState, "StoreKit 2 gives seats no second transaction id")
    }
    let old = subscriptions[index].last
    subscriptions[index].transactions.append(
      Transaction(
        id: ids.next(), originalID: old.originalID, webOrderLineItemID: old.webOrderLineItemID, product: old.product,
        account: old.account, purchaseAt: old.purchaseAt, originalPurchaseAt: old.originalPurchaseAt,
        expiresAt: old.expiresAt, isRenewal: old.isRenewal, isShared: false, price: old.price, offer: old.offer,
        commitment: old.commitment, changedAt: clock))
    report("updated", "restored", product: old.product, transaction: subscriptions[index].last)
    report("removed", "restored", product: old.product, transaction: subscriptions[index].last)
    emit(.silence, account: old.account)
  }
}
