import AppStore

/// Family Sharing: members join and leave, and get the purchaser's periods.
extension SimulatedStore {
  mutating func share(_ index: Int) throws(ActionError) {
    try requireActive(index, notCharged: true)
    let sold = catalog.products[subscriptions[index].last.product]
    guard sold.isFamilyShareable, subscriptions[index].seating == nil else {
      throw ActionError(.wrongState, "\(sold.id) cannot be shared")
    }
    guard accounts.count < 6 else { throw ActionError(.outOfRange, "a family has six members at most") }
    let customer = accounts[0].customer + "-family-\(accounts.count)"
    addAccount(in: accounts[0].territory, customer: customer, hasToken: false)
    subscriptions.append(
      OriginalTransaction(
        id: ids.next(), account: accounts.count - 1, group: subscriptions[index].group, sharedFrom: index,
        startedAt: clock,
        nextProduct: subscriptions[index].last.product, anchor: clock, recentStartAt: clock))
    mirror(index, to: subscriptions.count - 1, isRenewal: false)
    emit("SUBSCRIBED", "INITIAL_BUY", v1: nil, subscription: subscriptions.count - 1)
  }

  mutating func stopSharing(_ index: Int) throws(ActionError) {
    guard let member = members(of: index).last else {
      throw ActionError(.nothingPending, "it is shared with nobody")
    }
    takeBack(member, reason: 0)
  }

  /// Gives a member the purchaser's last period: from its start for a renewal, otherwise from now on.
  mutating func mirror(_ index: Int, to member: Int, isRenewal: Bool) {
    let source = subscriptions[index].last
    let id = ids.next()
    let isAssigned = subscriptions[member].isAssigned
    subscriptions[member].transactions.append(
      Transaction(
        id: subscriptions[member].transactions.isEmpty ? subscriptions[member].id : id,
        originalID: subscriptions[member].id,
        webOrderLineItemID: ids.next(), product: source.product, account: subscriptions[member].account,
        purchaseAt: isRenewal ? source.purchaseAt : clock, originalPurchaseAt: subscriptions[member].startedAt,
        expiresAt: source.expiresAt, isRenewal: isRenewal, isShared: !isAssigned, isAssigned: isAssigned, price: nil,
        offer: nil, commitment: nil,
        seats: subscriptions[index].seating.map { seatsOfMember($0, source) }, changedAt: clock))
    settle(member)
  }

  /// Returns what a member's transaction states of the seats: those of the purchaser.
  private func seatsOfMember(_ seating: Seating, _ source: Transaction) -> Seats {
    var seats = Seats(seating.quantity, of: seating.management, price: source.price ?? 0)
    seats.isOneOfSeveral = source.seats?.isOneOfSeveral ?? false
    return seats
  }
}
