import AppStore

/// Purchases: direct ones, Ask to Buy, and interrupted ones.
extension SimulatedStore {
  private static let paymentCancelled: Int64 = 2

  mutating func buy(_ product: Int, offer: String?, billedMonthly: Bool) throws(ActionError) {
    if catalog.products[product].group != nil, let index = subscriptionInGroup(of: product),
      [.active, .gracePeriod].contains(subscriptions[index].state)
    {
      guard subscriptions[index].nextProduct == product, subscriptions[index].last.product == product else {
        return try change(index, to: product)
      }
      guard !subscriptions[index].autoRenews else {
        throw ActionError(.wrongState, "\(catalog.products[product].id) is subscribed to already")
      }
      return try resume(index)
    }
    report("updated", "purchasing", product: product)
    try deliver(product, offer: offer, billedMonthly: billedMonthly)
  }

  mutating func askToBuy(_ product: Int) throws(ActionError) {
    guard asked == nil else { throw ActionError(.wrongState, "a purchase waits for its approval already") }
    if let index = subscriptionInGroup(of: product), [.active, .gracePeriod].contains(subscriptions[index].state) {
      throw ActionError(.wrongState, "there is an active subscription in the group")
    }
    asked = product
    report("updated", "purchasing", product: product)
    report("updated", "deferred", product: product)
  }

  mutating func answerAskToBuy(_ isApproved: Bool) throws(ActionError) {
    guard let product = asked else { throw ActionError(.nothingPending, "no purchase waits for an approval") }
    asked = nil
    guard isApproved else {
      report("updated", "failed", product: product, errorCode: Self.paymentCancelled)
      return report("removed", nil, product: product)
    }
    try deliver(product, offer: nil, billedMonthly: false)
  }

  mutating func interrupt(_ product: Int) throws(ActionError) {
    guard interrupted == nil else { throw ActionError(.wrongState, "a purchase is interrupted already") }
    interrupted = product
    report("updated", "purchasing", product: product)
    report("updated", "failed", product: product, errorCode: 0)
    report("removed", "failed", product: product)
  }

  mutating func finishInterrupted() throws(ActionError) {
    guard let product = interrupted else { throw ActionError(.nothingPending, "no purchase was interrupted") }
    interrupted = nil
    try deliver(product, offer: nil, billedMonthly: false)
  }

  /// Returns the purchaser's own subscription in the group of a product, as an index.
  func subscriptionInGroup(of product: Int) -> Int? {
    guard let group = catalog.products[product].group else { return nil }
    return subscriptions.firstIndex { $0.group == group && $0.sharedFrom == nil }
  }

  /// Completes a purchase. Apple's notification comes first, then the report of the device.
  mutating func deliver(
    _ product: Int, offer: String?, billedMonthly: Bool, seating: Seating? = nil
  ) throws(ActionError) {
    let sold = catalog.products[product]
    guard let group = sold.group else { return buyOnce(product) }
    guard !billedMonthly || sold.isBilledMonthly else {
      throw ActionError(.unknownOffer, "\(sold.id) is not sold by the month")
    }
    let index: Int
    let known = subscriptionInGroup(of: product)
    let terms = try offers(for: product, named: offer, isReturning: known != nil, billedMonthly: billedMonthly)
    if let known {
      index = known
      guard ![.active, .gracePeriod].contains(subscriptions[index].state) else {
        throw ActionError(.wrongState, "there is an active subscription in the group already")
      }
      guard subscriptions[index].last.purchaseAt <= clock else {
        throw ActionError(.renewalUnderWay, "a period that was refunded has not begun yet")
      }
      let gap = clock - (subscriptions[index].last.expiresAt ?? clock)
      if gap >= rate.days(60) { subscriptions[index].recentStartAt = clock }
    } else {
      index = subscriptions.count
      subscriptions.append(
        OriginalTransaction(
          id: ids.next(), account: 0, group: group, sharedFrom: nil, seating: seating, startedAt: clock,
          nextProduct: product, anchor: clock, recentStartAt: clock))
    }
    accounts[0].introducedGroups.insert(group)
    subscriptions[index].offers = terms
    start(index, product: product, billedMonthly: billedMonthly)
    emit(
      "SUBSCRIBED", known == nil ? "INITIAL_BUY" : "RESUBSCRIBE",
      v1: known == nil ? "INITIAL_BUY" : "INTERACTIVE_RENEWAL", subscription: index)
    for member in subscriptions.indices
    where subscriptions[member].sharedFrom == index && subscriptions[member].state == .expired {
      guard sold.isFamilyShareable || subscriptions[member].isAssigned else { continue }
      subscriptions[member].isDetached = false
      mirror(index, to: member, isRenewal: false)
      emit("SUBSCRIBED", "RESUBSCRIBE", v1: "INTERACTIVE_RENEWAL", subscription: member)
    }
    report("updated", "purchased", product: product, transaction: subscriptions[index].last)
    report("removed", "purchased", product: product, transaction: subscriptions[index].last)
  }

  /// Begins a new billing cycle now, with automatic renewal on.
  mutating func start(_ index: Int, product: Int, billedMonthly: Bool) {
    subscriptions[index].nextProduct = product
    subscriptions[index].nextIsBilledMonthly = billedMonthly
    subscriptions[index].commitmentRenews = true
    subscriptions[index].autoRenews = true
    subscriptions[index].paymentFails = false
    subscriptions[index].price = nil
    subscriptions[index].priceIncrease = nil
    subscriptions[index].renewalCount = 0
    (subscriptions[index].anchor, subscriptions[index].periodsSinceAnchor) = (clock, 0)
    addPeriod(index, product: product, at: clock, isRenewal: false)
    planCharge(index)
  }

  /// Returns the offers that a purchase begins with. A new subscriber gets the introductory offer. A named offer
  /// follows it if the offer is stackable, and otherwise replaces it.
  private func offers(
    for product: Int, named: String?, isReturning: Bool, billedMonthly: Bool
  ) throws(ActionError) -> [(terms: OfferTerms, left: Int64)] {
    let sold = catalog.products[product]
    let isNew = sold.group.map { !accounts[0].introducedGroups.contains($0) } ?? false
    var terms: [OfferTerms] = isNew && !billedMonthly ? sold.offers.filter { $0.type == 1 }.suffix(1) : []
    if let named {
      guard let offer = sold.offers.first(where: { $0.identifier == named }) else {
        throw ActionError(
          .unknownOffer,
          "\(sold.id) has no offer \(named); it has \(sold.offers.compactMap(\.identifier).joined(separator: ", "))")
      }
      guard offer.type == 3 || isReturning else {
        throw ActionError(.unknownOffer, "offer \(named) is for those who had the subscription before")
      }
      if !offer.isStackable { terms = [] }
      terms.append(offer)
    }
    return terms.map { ($0, $0.transactionCount) }
  }

  private mutating func buyOnce(_ product: Int) {
    let id = ids.next()
    purchases.append(
      Transaction(
        id: id, originalID: id, webOrderLineItemID: nil, product: product, account: 0, purchaseAt: clock,
        originalPurchaseAt: clock, expiresAt: nil, isRenewal: false, isShared: false,
        price: catalog.products[product].price(in: accounts[0].territory), offer: nil, commitment: nil,
        changedAt: clock))
    emit("ONE_TIME_CHARGE", v1: nil, purchase: purchases.count - 1)
    report("updated", "purchased", product: product, transaction: purchases.last)
    report("removed", "purchased", product: product, transaction: purchases.last)
  }
}
