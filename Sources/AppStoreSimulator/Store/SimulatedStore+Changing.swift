import AppStore

/// Changes of a running subscription: another product, an offer, a new device.
extension SimulatedStore {
  mutating func change(_ place: Int, to product: Int) throws(ActionError) {
    try requireActive(place, notCharged: true)
    let (present, wanted) = (assortment.products[lines[place].last.product], assortment.products[product])
    guard wanted.group == lines[place].group else {
      throw ActionError(.unknownProduct, "\(wanted.id) is in another group: it is bought, not changed to")
    }
    guard lines[place].last.commitment == nil else {
      throw ActionError(.wrongState, "a year that is billed by the month runs to its end")
    }
    guard lines[place].nextProduct != product else {
      throw ActionError(.wrongState, "\(wanted.id) comes next already")
    }
    lines[place].priceIncrease = nil
    lines[place].offers = []
    lines[place].nextIsBilledMonthly = false
    let isAtOnce =
      wanted.level < present.level
      || wanted.level == present.level && wanted.period?.description == present.period?.description
    let wasOff = !lines[place].autoRenews
    lines[place].autoRenews = true
    guard isAtOnce, wanted.id != present.id else {
      lines[place].nextProduct = product
      planCharge(place)
      let subtype = wanted.id == present.id ? nil : "DOWNGRADE"
      tell("DID_CHANGE_RENEWAL_PREF", subtype, v1: "DID_CHANGE_RENEWAL_PREF", line: place)
      return tellRenewal(place, isOnAgain: wasOff)
    }
    upgrade(place, to: product)
    tell("DID_CHANGE_RENEWAL_PREF", "UPGRADE", v1: "INTERACTIVE_RENEWAL", line: place)
    tellRenewal(place, isOnAgain: wasOff)
    for member in members(of: place) {
      guard wanted.isFamilyShareable || lines[member].isAssigned else {
        takeBack(member, reason: 0)
        continue
      }
      markUpgraded(member)
      mirror(place, to: member, isRenewal: false)
      tell("DID_CHANGE_RENEWAL_PREF", "UPGRADE", v1: "INTERACTIVE_RENEWAL", line: member)
    }
  }

  private mutating func tellRenewal(_ place: Int, isOnAgain: Bool) {
    guard isOnAgain else { return }
    lines[place].autoRenewChangedAt = clock
    tell("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", v1: "DID_CHANGE_RENEWAL_STATUS", line: place)
  }

  private mutating func upgrade(_ place: Int, to product: Int) {
    markUpgraded(place)
    start(place, product: product, billedMonthly: false)
  }

  /// Marks the running period as upgraded, under every transaction id that it has.
  private mutating func markUpgraded(_ place: Int) {
    for one in lines[place].samePeriod(as: lines[place].last) where lines[place].transactions[one].revocation == nil {
      lines[place].transactions[one].upgradedAt = clock
    }
  }

  mutating func redeem(_ place: Int, _ name: String) throws(ActionError) {
    try requireActive(place, notCharged: true)
    let sold = assortment.products[lines[place].nextProduct]
    let mine = sold.offers.filter { $0.type == 2 || $0.type == 3 }
    guard let offer = mine.first(where: { $0.identifier == name }) else {
      throw ActionError(
        .unknownOffer,
        "\(sold.id) has no such offer for subscribers; it has \(mine.compactMap(\.identifier).joined(separator: ", "))")
    }
    guard !lines[place].offers.contains(where: { $0.terms == offer }), lines[place].last.offer != offer else {
      throw ActionError(.unknownOffer, "offer \(name) is redeemed already")
    }
    let wasOff = !lines[place].autoRenews
    lines[place].autoRenews = true
    lines[place].offers.append((offer, offer.transactionCount))
    planCharge(place)
    tell("OFFER_REDEEMED", v1: nil, line: place)
    tellRenewal(place, isOnAgain: wasOff)
  }

  mutating func restore(_ place: Int) throws(ActionError) {
    try requireActive(place, notCharged: true)
    guard lines[place].seating == nil else {
      throw ActionError(.wrongState, "StoreKit 2 gives seats no second transaction id")
    }
    let old = lines[place].last
    lines[place].transactions.append(
      Transaction(
        id: ids.next(), originalID: old.originalID, webOrderLineItemID: old.webOrderLineItemID, product: old.product,
        account: old.account, purchaseAt: old.purchaseAt, originalPurchaseAt: old.originalPurchaseAt,
        expiresAt: old.expiresAt, isRenewal: old.isRenewal, isShared: false, price: old.price, offer: old.offer,
        commitment: old.commitment, changedAt: clock))
    report("updated", "restored", product: old.product, transaction: lines[place].last)
    report("removed", "restored", product: old.product, transaction: lines[place].last)
    tell(.silence, account: old.account)
  }
}
