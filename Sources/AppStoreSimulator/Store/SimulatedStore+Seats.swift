import AppStore

/// Subscriptions that one buys for many: seats are added, reduced and refunded, and members join and leave.
extension SimulatedStore {
  /// The greatest number of seats that the simulated store sells for one subscription.
  private static let mostSeats: Int64 = 1000

  mutating func buySeats(_ product: Int, seats: Int64, isManagedByDeveloper: Bool) throws(ActionError) {
    guard (2...Self.mostSeats).contains(seats) else {
      throw ActionError(.outOfRange, "a subscription for many has 2 to \(Self.mostSeats) seats")
    }
    let sold = catalog.products[product]
    guard let group = sold.group else { throw ActionError(.unknownProduct, "\(sold.id) is not a subscription") }
    if let known = subscriptionInGroup(of: product) {
      guard subscriptions[known].seating != nil, [.expired, .revoked].contains(subscriptions[known].state) else {
        throw ActionError(.wrongState, "there is a subscription in the group already")
      }
      subscriptions[known].seating?.next = seats
    }
    accounts[0].introducedGroups.insert(group)
    let management: Seats.Management = isManagedByDeveloper ? .developer : .apple
    report("updated", "purchasing", product: product)
    try deliver(
      product, offer: nil, billedMonthly: false,
      seating: Seating(management: management, quantity: seats, next: seats))
  }

  mutating func addSeats(_ index: Int, _ count: Int64) throws(ActionError) {
    let seating = try requireSeating(index)
    guard count > 0, seating.quantity + count <= Self.mostSeats else {
      throw ActionError(.outOfRange, "a subscription for many has at most \(Self.mostSeats) seats")
    }
    let head = subscriptions[index].lastPeriod
    let running = subscriptions[index].samePeriod(as: head)
    for one in running { subscriptions[index].transactions[one].seats?.isOneOfSeveral = true }
    let before = running.reduce(0) { $0 + (subscriptions[index].transactions[$1].seats?.quantity ?? 0) }
    let seats = Seats(count, of: seating.management, price: price(of: subscriptions[index]), after: before)
    subscriptions[index].transactions.append(
      Transaction(
        id: ids.next(), originalID: subscriptions[index].id, webOrderLineItemID: ids.next(), product: head.product,
        account: subscriptions[index].account, purchaseAt: clock, originalPurchaseAt: subscriptions[index].startedAt,
        expiresAt: head.expiresAt, isRenewal: false, isShared: false, price: seats.average, offer: nil,
        commitment: nil, seats: seats, changedAt: clock))
    subscriptions[index].seating?.next += count
    changeSeats(index, by: count)
    emit("DID_CHANGE_RENEWAL_PREF", "INCREASE_QUANTITY", v1: nil, subscription: index)
  }

  mutating func reduceSeats(_ index: Int, to count: Int64) throws(ActionError) {
    let seating = try requireSeating(index)
    guard count > 0, count < seating.next else {
      throw ActionError(.outOfRange, "the next period has \(seating.next) seats: fewer are 1 to \(seating.next - 1)")
    }
    subscriptions[index].seating?.next = count
    emit("DID_CHANGE_RENEWAL_PREF", "DECREASE_QUANTITY", v1: nil, subscription: index)
  }

  mutating func refundSeats(_ index: Int, _ count: Int64) throws(ActionError) {
    let seating = try requireSeating(index)
    let running = subscriptions[index].samePeriod(as: subscriptions[index].lastPeriod)
    // A refund of all seats of a transaction is a refund of the transaction.
    let fitting = running.last {
      let one = subscriptions[index].transactions[$0]
      return one.stands && one.price != 0 && one.seats.map { $0.left > count && !$0.hasReversal } ?? false
    }
    guard count > 0, count < seating.quantity, let one = fitting else {
      throw ActionError(.outOfRange, "no transaction of the period has more than \(count) seats left")
    }
    subscriptions[index].transactions[one].seats?.refunds.append((at: clock, quantity: count))
    subscriptions[index].transactions[one].changedAt = clock
    (refunded, refundedSeats) = (nil, (index, one))
    changeSeats(index, by: -count)
    emit("REFUND", "SEATS", v1: nil, subscription: index, transaction: subscriptions[index].transactions[one])
    releaseMembers(of: index)
  }

  /// Reverses the last refund of seats, while its period is running.
  mutating func reverseSeatRefund(_ index: Int, _ one: Int) throws(ActionError) {
    try requireRunning(one, of: index)
    guard let refund = subscriptions[index].transactions[one].seats?.refunds.popLast() else {
      throw ActionError(.nothingPending, "no seats were refunded")
    }
    subscriptions[index].transactions[one].changedAt = clock
    refundedSeats = nil
    subscriptions[index].transactions[one].seats?.hasReversal = true
    returnSeats(refund.quantity, to: index, since: refund.at)
    emit("REFUND_REVERSED", v1: nil, subscription: index, transaction: subscriptions[index].transactions[one])
  }

  /// Throws where a transaction is not one of the running period, or the next one is charged already.
  func requireRunning(_ one: Int, of index: Int) throws(ActionError) {
    guard subscriptions[index].state == .active, !subscriptions[index].isCharged(at: clock),
      subscriptions[index].samePeriod(as: subscriptions[index].lastPeriod).contains(one)
    else { throw ActionError(.nothingPending, "the period of the refund is over, or ends soon") }
  }

  /// Changes the seats of the last period from now on. After its end, nobody has them.
  mutating func changeSeats(_ index: Int, by count: Int64) {
    subscriptions[index].seating?.quantity += count
    let (subscription, head) = (subscriptions[index], subscriptions[index].lastPeriod)
    guard [.active, .gracePeriod].contains(subscription.state) else { return }
    let end = subscription.state == .gracePeriod ? subscription.graceEndsAt : head.expiresAt
    subscriptions[index].note(subscription.state, product: head.product, since: clock, accessEndsAt: end ?? clock)
  }

  /// Gives refunded seats of the running period back: from now on, and in hindsight as if no refund had been.
  mutating func returnSeats(_ count: Int64, to index: Int, since instant: Instant) {
    subscriptions[index].hindsight = subscriptions[index].hindsight.map { truth in
      var truth = truth
      if truth.since >= instant, let seats = truth.seats { truth.seats = seats + count }
      return truth
    }
    changeSeats(index, by: count)
  }

  // MARK: Members

  mutating func joinTeam(_ index: Int) throws(ActionError) {
    let seating = try requireSeating(index)
    let open = seating.claims.count { $0.endedAt == nil }
    // The purchaser has a seat too, where Apple gives them.
    guard seating.management == .apple ? members(of: index).count + 1 < seating.quantity : open < seating.quantity
    else { throw ActionError(.outOfRange, "all \(seating.quantity) seats are taken") }
    guard seating.management == .apple else {
      let customer = accounts[0].customer + "-member-\(seating.claims.count + 1)"
      subscriptions[index].seating?.claims.append(SeatClaim(id: random.uuid(), customer: customer, claimedAt: clock))
      return
    }
    let customer = accounts[0].customer + "-member-\(accounts.count)"
    addAccount(in: accounts[0].territory, customer: customer, hasToken: false)
    subscriptions.append(
      OriginalTransaction(
        id: ids.next(), account: accounts.count - 1, group: subscriptions[index].group, sharedFrom: index,
        isAssigned: true,
        startedAt: clock, nextProduct: subscriptions[index].last.product, anchor: clock, recentStartAt: clock))
    mirror(index, to: subscriptions.count - 1, isRenewal: false)
    emit("SUBSCRIBED", "INITIAL_BUY", v1: nil, subscription: subscriptions.count - 1)
  }

  mutating func leaveTeam(_ index: Int) throws(ActionError) {
    let seating = try requireSeating(index)
    if seating.management == .developer {
      guard let last = seating.claims.lastIndex(where: { $0.endedAt == nil }) else {
        throw ActionError(.nothingPending, "no seat is claimed")
      }
      subscriptions[index].seating?.claims[last].endedAt = clock
      return
    }
    guard let member = members(of: index).last else { throw ActionError(.nothingPending, "no seat is assigned") }
    takeBack(member, reason: 0)
  }

  /// An organization takes a seat from one user and gives it to another one.
  mutating func reassignSeat(_ index: Int) throws(ActionError) {
    guard try requireSeating(index).management == .apple else {
      throw ActionError(.wrongState, "the app gives the seats: a member leaves, and another one joins")
    }
    try leaveTeam(index)
    try joinTeam(index)
  }

  /// Ends the last members' seats, where fewer seats are left than members.
  mutating func releaseMembers(of index: Int) {
    guard let seating = subscriptions[index].seating else { return }
    if seating.management == .apple {
      let members = members(of: index)
      for member in members.reversed().prefix(max(0, members.count + 1 - Int(seating.quantity))) {
        takeBack(member, reason: 0)
      }
      return
    }
    let open = seating.claims.indices.filter { seating.claims[$0].endedAt == nil }
    let released = open.suffix(max(0, open.count - Int(seating.quantity)))
    guard !released.isEmpty else { return }
    for one in released {
      subscriptions[index].seating?.claims[one].endedAt = clock
      subscriptions[index].seating?.claims[one].isReleasedByApple = true
    }
    let content = StoreNotification(
      type: "UNCLAIM_SEATS", subtype: nil, typeV1: nil, uuid: random.uuid(), subscription: nil, transaction: nil,
      renewal: nil,
      state: nil, unclaimedSeatIDs: released.map { seating.claims[$0].id })
    emit(.notification(content), account: subscriptions[index].account)
  }

  private func requireSeating(_ index: Int) throws(ActionError) -> Seating {
    try requireActive(index, notCharged: true)
    guard let seating = subscriptions[index].seating else {
      throw ActionError(.wrongState, "the subscription is for one person")
    }
    return seating
  }
}
