import AppStore

/// Changes of a running subscription: another product, an offer, a new device.
extension SimulatedStore {
  mutating func change(_ index: Int, to product: Int) throws(ActionError) {
    try requireActive(index, notCharged: true)
    let (present, wanted) = (assortment.products[lines[index].last.product], assortment.products[product])
    guard wanted.group == lines[index].group else {
      throw ActionError(.unknownProduct, "\(wanted.id) is in another group: it is bought, not changed to")
    }
    guard lines[index].last.commitment == nil else {
      throw ActionError(.wrongState, "a year that is billed by the month runs to its end")
    }
    guard lines[index].nextProduct != product else {
      throw ActionError(.wrongState, "\(wanted.id) comes next already")
    }
    lines[index].priceIncrease = nil
    lines[index].offers = []
    lines[index].nextIsBilledMonthly = false
    let isAtOnce =
      wanted.level < present.level
      || wanted.level == present.level && wanted.period?.description == present.period?.description
    let wasOff = !lines[index].autoRenews
    lines[index].autoRenews = true
    guard isAtOnce, wanted.id != present.id else {
      lines[index].nextProduct = product
      planCharge(index)
      let subtype = wanted.id == present.id ? nil : "DOWNGRADE"
      tell("DID_CHANGE_RENEWAL_PREF", subtype, v1: "DID_CHANGE_RENEWAL_PREF", line: index)
      return tellRenewal(index, isOnAgain: wasOff)
    }
    upgrade(index, to: product)
    tell("DID_CHANGE_RENEWAL_PREF", "UPGRADE", v1: "INTERACTIVE_RENEWAL", line: index)
    tellRenewal(index, isOnAgain: wasOff)
    for member in members(of: index) {
      guard wanted.isFamilyShareable || lines[member].isAssigned else {
        takeBack(member, reason: 0)
        continue
      }
      markUpgraded(member)
      mirror(index, to: member, isRenewal: false)
      tell("DID_CHANGE_RENEWAL_PREF", "UPGRADE", v1: "INTERACTIVE_RENEWAL", line: member)
    }
  }

  private mutating func tellRenewal(_ index: Int, isOnAgain: Bool) {
    guard isOnAgain else { return }
    lines[index].autoRenewChangedAt = clock
    tell("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", v1: "DID_CHANGE_RENEWAL_STATUS", line: index)
  }

  private mutating func upgrade(_ index: Int, to product: Int) {
    markUpgraded(index)
    start(index, product: product, billedMonthly: false)
  }

  /// Marks the running period as upgraded, under every transaction id that it has.
  private mutating func markUpgraded(_ index: Int) {
    for one in lines[index].samePeriod(as: lines[index].last) where lines[index].transactions[one].revocation == nil {
      lines[index].transactions[one].upgradedAt = clock
    }
  }

  mutating func redeem(_ index: Int, _ name: String) throws(ActionError) {
    try requireActive(index, notCharged: true)
    let sold = assortment.products[lines[index].nextProduct]
    let mine = sold.offers.filter { $0.type == 2 || $0.type == 3 }
    guard let offer = mine.first(where: { $0.identifier == name }) else {
      throw ActionError(
        .unknownOffer,
        "\(sold.id) has no such offer for subscribers; it has \(mine.compactMap(\.identifier).joined(separator: ", "))")
    }
    guard !lines[index].offers.contains(where: { $0.terms == offer }), lines[index].last.offer != offer else {
      throw ActionError(.unknownOffer, "offer \(name) is redeemed already")
    }
    let wasOff = !lines[index].autoRenews
    lines[index].autoRenews = true
    lines[index].offers.append((offer, offer.transactionCount))
    planCharge(index)
    tell("OFFER_REDEEMED", v1: nil, line: index)
    tellRenewal(index, isOnAgain: wasOff)
  }

  mutating func restore(_ index: Int) throws(ActionError) {
    try requireActive(index, notCharged: true)
    guard lines[index].seating == nil else {
      throw ActionError(.wrongState, "StoreKit 2 gives seats no second transaction id")
    }
    let old = lines[index].last
    lines[index].transactions.append(
      Transaction(
        id: ids.next(), originalID: old.originalID, webOrderLineItemID: old.webOrderLineItemID, product: old.product,
        account: old.account, purchaseAt: old.purchaseAt, originalPurchaseAt: old.originalPurchaseAt,
        expiresAt: old.expiresAt, isRenewal: old.isRenewal, isShared: false, price: old.price, offer: old.offer,
        commitment: old.commitment, changedAt: clock))
    report("updated", "restored", product: old.product, transaction: lines[index].last)
    report("removed", "restored", product: old.product, transaction: lines[index].last)
    tell(.silence, account: old.account)
  }
}
