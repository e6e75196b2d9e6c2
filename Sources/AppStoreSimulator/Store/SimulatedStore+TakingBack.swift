import AppStore

/// Refunds, their reversals, and revocations in the family.
extension SimulatedStore {
  private static let consumptionReasons = [
    "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER",
  ]

  /// Returns the object of a refund: the target, or else the subscription, or else the last one-time purchase.
  private func refundable(_ target: Target?) throws(ActionError) -> Target {
    if case .purchase(let index) = target, purchases.indices.contains(index) { return .purchase(index) }
    if target == nil, !subscriptions.contains(where: { $0.sharedFrom == nil }), !purchases.isEmpty {
      return .purchase(purchases.count - 1)
    }
    return .subscription(try subscription(target))
  }

  /// Throws where a transaction is revoked or upgraded already, or was free.
  private func requireRefundable(_ transaction: Transaction) throws(ActionError) {
    guard transaction.revocation == nil else { throw ActionError(.wrongState, "it was taken back already") }
    guard transaction.upgradedAt == nil else {
      throw ActionError(.wrongState, "an upgrade took its place, and Apple refunded the rest of it then")
    }
    guard transaction.price != 0 else { throw ActionError(.wrongState, "it was free: there is nothing to refund") }
  }

  mutating func askForRefund(_ target: Target?) throws(ActionError) {
    let reason = random.pick(Self.consumptionReasons)
    switch try refundable(target) {
    case .subscription(let index):
      try requireRefundable(subscriptions[index].current(at: clock))
      subscriptions[index].refundIsAsked = true
      emit(
        "CONSUMPTION_REQUEST", v1: nil, subscription: index, transaction: subscriptions[index].current(at: clock),
        consumptionRequestReason: reason)
    case .purchase(let index):
      try requireRefundable(purchases[index])
      askedPurchases.insert(index)
      emit(
        "CONSUMPTION_REQUEST", v1: "CONSUMPTION_REQUEST", purchase: index, consumptionRequestReason: reason)
    }
  }

  mutating func declineRefund(_ target: Target?) throws(ActionError) {
    switch try refundable(target) {
    case .subscription(let index):
      guard subscriptions[index].refundIsAsked else { throw ActionError(.nothingPending, "no refund was asked for") }
      subscriptions[index].refundIsAsked = false
      emit("REFUND_DECLINED", v1: nil, subscription: index, transaction: subscriptions[index].current(at: clock))
    case .purchase(let index):
      guard askedPurchases.remove(index) != nil else {
        throw ActionError(.nothingPending, "no refund was asked for")
      }
      emit("REFUND_DECLINED", v1: nil, purchase: index)
    }
  }

  mutating func refund(
    _ target: Target?, before: Int, reason: Int64, percentage: Int64?
  ) throws(ActionError) {
    if let percentage, !(1...100_000).contains(percentage) {
      throw ActionError(.outOfRange, "a refund is 1 to 100000 thousandths of a percent")
    }
    let isProrated = percentage.map { $0 < 100_000 } ?? false
    let revocation = Revocation(
      at: clock, reason: reason, type: isProrated ? "REFUND_PRORATED" : "REFUND_FULL", percentage: percentage ?? 100_000
    )
    switch try refundable(target) {
    case .purchase(let index):
      try requireRefundable(purchases[index])
      purchases[index].revocation = revocation
      askedPurchases.remove(index)
      refunded = (nil, [index])
      emit("REFUND", v1: "REFUND", purchase: index)
    case .subscription(let index):
      try refund(subscription: index, before: before, revocation)
    }
  }

  private mutating func refund(subscription index: Int, before: Int, _ revocation: Revocation) throws(ActionError) {
    let subscription = subscriptions[index]
    var orders: [Int64?] = []
    for transaction in subscription.transactions where orders.last != transaction.webOrderLineItemID {
      orders.append(transaction.webOrderLineItemID)
    }
    guard before >= 0, before < orders.count else {
      throw ActionError(.outOfRange, "there are only \(orders.count) purchases and renewals to refund")
    }
    let order = orders[orders.count - 1 - before]
    let indices = subscription.transactions.indices.filter { subscription.transactions[$0].webOrderLineItemID == order }
    for one in indices { try requireRefundable(subscription.transactions[one]) }
    let running = subscription.samePeriod(as: subscription.current(at: clock))
    let isRunning = running.contains { indices.contains($0) }
    // Where seats were added, a subscription is revoked when all its transactions are.
    let isHead = isRunning && !running.contains { !indices.contains($0) && subscription.transactions[$0].stands }
    guard !subscription.isCharged(at: clock) || !isRunning && before > 0 else {
      throw ActionError(.renewalUnderWay, "the next period is charged already: let it begin first")
    }
    take(back: indices, of: index, revocation, isRunning: isRunning, isHead: isHead)
  }

  /// Revokes transactions of a purchaser, and sends the notifications. With `isRunning`, they are of the running period, and with
  /// `isHead`, all of it that still stands.
  private mutating func take(
    back indices: [Int], of index: Int, _ revocation: Revocation, isRunning: Bool, isHead: Bool
  ) {
    let subscription = subscriptions[index]
    let renewed = subscription.autoRenews && [.active, .gracePeriod, .billingRetry].contains(subscription.state)
    let followers = isHead ? members(of: index) : []
    let seats = indices.reduce(0) { $0 + (subscription.transactions[$1].seats?.left ?? 0) }
    if isHead { subscriptions[index].seating?.quantity -= seats }
    take(indices, of: index, revocation, endsSubscription: isHead)
    (refunded, refundedSeats) = ((index, indices), nil)
    if isRunning, !isHead { changeSeats(index, by: -seats) }
    // The newest id comes first, because the subscription's state is read from it.
    for one in indices.reversed() {
      emit("REFUND", v1: "CANCEL", subscription: index, transaction: subscriptions[index].transactions[one])
    }
    if isHead, renewed {
      subscriptions[index].autoRenewChangedAt = clock
      emit("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", v1: "DID_CHANGE_RENEWAL_STATUS", subscription: index)
    }
    for member in followers { takeBack(member, reason: revocation.reason) }
    if isRunning, !isHead { releaseMembers(of: index) }
  }

  mutating func refundAll(_ index: Int) throws(ActionError) {
    try requireActive(index, notCharged: true)
    let running = subscriptions[index].samePeriod(as: subscriptions[index].current(at: clock))
    let indices = running.filter { subscriptions[index].transactions[$0].stands }
    for one in indices { try requireRefundable(subscriptions[index].transactions[one]) }
    let revocation = Revocation(at: clock, reason: 0, type: "REFUND_FULL", percentage: 100_000)
    take(back: indices, of: index, revocation, isRunning: true, isHead: true)
  }

  /// Marks transactions as revoked. With `endsSubscription`, the subscription becomes revoked too.
  private mutating func take(_ indices: [Int], of index: Int, _ revocation: Revocation, endsSubscription: Bool) {
    for one in indices { subscriptions[index].transactions[one].revocation = revocation }
    subscriptions[index].refundIsAsked = false
    guard endsSubscription else { return }
    let head = subscriptions[index].current(at: clock)
    subscriptions[index].state = .revoked
    subscriptions[index].autoRenews = false
    subscriptions[index].commitmentRenews = false
    subscriptions[index].isRetrying = false
    subscriptions[index].graceEndsAt = nil
    subscriptions[index].chargesAt = nil
    subscriptions[index].offers = []
    subscriptions[index].priceIncrease = nil
    subscriptions[index].note(
      .revoked, product: head.product, since: clock, accessEndsAt: min(head.expiresAt ?? clock, clock))
  }

  /// Revokes a member's shared access to the subscription.
  mutating func takeBack(_ member: Int, reason: Int64) {
    let running = subscriptions[member].current(at: clock)
    let indices = subscriptions[member].transactions.indices.filter {
      let one = subscriptions[member].transactions[$0]
      return one.stands && (one.purchaseAt > clock || one.id == running.id)
    }
    let type = subscriptions[member].isAssigned ? "ASSIGNMENT_REVOKE" : "FAMILY_REVOKE"
    let revocation = Revocation(at: clock, reason: reason, type: type, percentage: nil)
    take(indices, of: member, revocation, endsSubscription: true)
    for one in indices {
      emit("REVOKE", v1: "REVOKE", subscription: member, transaction: subscriptions[member].transactions[one])
    }
  }

  mutating func reverseRefund() throws(ActionError) {
    if let (index, one) = refundedSeats { return try reverseSeatRefund(index, one) }
    guard let (index, indices) = refunded else { throw ActionError(.nothingPending, "nothing was refunded") }
    if let index, subscriptions[index].seating != nil, subscriptions[index].state != .revoked {
      return try reverseOneOfSeveral(index, indices)
    }
    refunded = nil
    guard let index else {
      for one in indices {
        purchases[one].endRevocation(at: clock)
        emit("REFUND_REVERSED", v1: nil, purchase: one)
      }
      return
    }
    let head = subscriptions[index].current(at: clock)
    let refundedAt = subscriptions[index].transactions[indices[0]].revocation?.at ?? clock
    let isHead = subscriptions[index].samePeriod(as: head).contains(indices[0])
    for one in indices { subscriptions[index].transactions[one].endRevocation(at: clock) }
    let seats = indices.reduce(0) { $0 + (subscriptions[index].transactions[$1].seats?.left ?? 0) }
    if isHead { subscriptions[index].seating?.quantity = seats }
    let end = subscriptions[index].transactions[indices[0]].expiresAt ?? clock
    if isHead {
      subscriptions[index].state = clock < end ? .active : .expired
      if clock >= end { subscriptions[index].expirationIntent = 1 }
    }
    subscriptions[index].undoRevocation(
      since: refundedAt, end: end, now: clock, isHead: isHead, seats: subscriptions[index].seating == nil ? 1 : seats)
    for one in indices {
      emit("REFUND_REVERSED", v1: nil, subscription: index, transaction: subscriptions[index].transactions[one])
    }
  }
}

extension SimulatedStore {
  /// Reverses the refund of one of several transactions, while their period is running.
  private mutating func reverseOneOfSeveral(_ index: Int, _ indices: [Int]) throws(ActionError) {
    for one in indices { try requireRunning(one, of: index) }
    refunded = nil
    for one in indices {
      guard let revocation = subscriptions[index].transactions[one].revocation else { continue }
      subscriptions[index].transactions[one].endRevocation(at: clock)
      returnSeats(subscriptions[index].transactions[one].seats?.left ?? 0, to: index, since: revocation.at)
      emit("REFUND_REVERSED", v1: nil, subscription: index, transaction: subscriptions[index].transactions[one])
    }
  }
}

extension OriginalTransaction {
  /// Records a reversed refund: in ``history`` from now on, in ``hindsight`` as if it had not happened.
  fileprivate mutating func undoRevocation(
    since refundedAt: Instant, end: Instant, now: Instant, isHead: Bool, seats: Int64
  ) {
    guard let index = hindsight.firstIndex(where: { $0.since == refundedAt && $0.state == .revoked }) else { return }
    let product = hindsight[index].product
    var instead: [GroundTruth] = []
    if refundedAt < end {
      instead.append(
        GroundTruth(
          since: refundedAt, state: .active, product: product, accessEndsAt: end, seats: seats))
    }
    let lapse = max(refundedAt, end)
    let next = hindsight.count > index + 1 ? hindsight[index + 1].since : nil
    if next.map({ lapse < $0 }) ?? (lapse <= now) {
      instead.append(
        GroundTruth(since: lapse, state: .expired, product: product, accessEndsAt: end, seats: 0))
    }
    hindsight.replaceSubrange(index...index, with: instead)
    guard isHead else { return }
    history.append(
      GroundTruth(
        since: now, state: now < end ? .active : .expired, product: product, accessEndsAt: end,
        seats: now < end ? seats : 0))
  }
}
