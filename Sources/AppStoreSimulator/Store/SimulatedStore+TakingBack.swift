import AppStore

/// Refunds, their reversals, and revocations in the family.
extension SimulatedStore {
  private static let consumptionReasons = [
    "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER",
  ]

  /// Returns the object of a refund: the target, or else the subscription, or else the last one-time purchase.
  private func refundable(_ target: Target?) throws(ActionError) -> Target {
    if case .purchase(let place) = target, purchases.indices.contains(place) { return .purchase(place) }
    if target == nil, !lines.contains(where: { $0.sharedFrom == nil }), !purchases.isEmpty {
      return .purchase(purchases.count - 1)
    }
    return .line(try line(target))
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
    case .line(let place):
      try requireRefundable(lines[place].current(at: clock))
      lines[place].refundIsAsked = true
      tell(
        "CONSUMPTION_REQUEST", v1: nil, line: place, transaction: lines[place].current(at: clock),
        consumptionRequestReason: reason)
    case .purchase(let place):
      try requireRefundable(purchases[place])
      askedPurchases.insert(place)
      tell(
        "CONSUMPTION_REQUEST", v1: "CONSUMPTION_REQUEST", purchase: place, consumptionRequestReason: reason)
    }
  }

  mutating func declineRefund(_ target: Target?) throws(ActionError) {
    switch try refundable(target) {
    case .line(let place):
      guard lines[place].refundIsAsked else { throw ActionError(.nothingPending, "no refund was asked for") }
      lines[place].refundIsAsked = false
      tell("REFUND_DECLINED", v1: nil, line: place, transaction: lines[place].current(at: clock))
    case .purchase(let place):
      guard askedPurchases.remove(place) != nil else {
        throw ActionError(.nothingPending, "no refund was asked for")
      }
      tell("REFUND_DECLINED", v1: nil, purchase: place)
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
    case .purchase(let place):
      try requireRefundable(purchases[place])
      purchases[place].revocation = revocation
      askedPurchases.remove(place)
      refunded = (nil, [place])
      tell("REFUND", v1: "REFUND", purchase: place)
    case .line(let place):
      try refund(line: place, before: before, revocation)
    }
  }

  private mutating func refund(line place: Int, before: Int, _ revocation: Revocation) throws(ActionError) {
    let line = lines[place]
    var orders: [Int64?] = []
    for transaction in line.transactions where orders.last != transaction.webOrderLineItemID {
      orders.append(transaction.webOrderLineItemID)
    }
    guard before >= 0, before < orders.count else {
      throw ActionError(.outOfRange, "there are only \(orders.count) purchases and renewals to refund")
    }
    let order = orders[orders.count - 1 - before]
    let places = line.transactions.indices.filter { line.transactions[$0].webOrderLineItemID == order }
    for one in places { try requireRefundable(line.transactions[one]) }
    let running = line.samePeriod(as: line.current(at: clock))
    let isRunning = running.contains { places.contains($0) }
    // Where seats were added, a subscription is revoked when all its transactions are.
    let isHead = isRunning && !running.contains { !places.contains($0) && line.transactions[$0].stands }
    guard !line.isCharged(at: clock) || !isRunning && before > 0 else {
      throw ActionError(.renewalUnderWay, "the next period is charged already: let it begin first")
    }
    take(back: places, of: place, revocation, isRunning: isRunning, isHead: isHead)
  }

  /// Revokes transactions of a purchaser, and sends the notifications. With `isRunning`, they are of the running period, and with
  /// `isHead`, all of it that still stands.
  private mutating func take(
    back places: [Int], of place: Int, _ revocation: Revocation, isRunning: Bool, isHead: Bool
  ) {
    let line = lines[place]
    let renewed = line.autoRenews && [.active, .gracePeriod, .billingRetry].contains(line.state)
    let followers = isHead ? members(of: place) : []
    let seats = places.reduce(0) { $0 + (line.transactions[$1].seats?.left ?? 0) }
    if isHead { lines[place].seating?.quantity -= seats }
    take(places, of: place, revocation, endsLine: isHead)
    (refunded, refundedSeats) = ((place, places), nil)
    if isRunning, !isHead { changeSeats(place, by: -seats) }
    // The newest id comes first, because the subscription's state is read from it.
    for one in places.reversed() {
      tell("REFUND", v1: "CANCEL", line: place, transaction: lines[place].transactions[one])
    }
    if isHead, renewed {
      lines[place].autoRenewChangedAt = clock
      tell("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", v1: "DID_CHANGE_RENEWAL_STATUS", line: place)
    }
    for member in followers { takeBack(member, reason: revocation.reason) }
    if isRunning, !isHead { releaseMembers(of: place) }
  }

  mutating func refundAll(_ place: Int) throws(ActionError) {
    try requireActive(place, notCharged: true)
    let running = lines[place].samePeriod(as: lines[place].current(at: clock))
    let places = running.filter { lines[place].transactions[$0].stands }
    for one in places { try requireRefundable(lines[place].transactions[one]) }
    let revocation = Revocation(at: clock, reason: 0, type: "REFUND_FULL", percentage: 100_000)
    take(back: places, of: place, revocation, isRunning: true, isHead: true)
  }

  /// Marks transactions as revoked. With `endsLine`, the subscription becomes revoked too.
  private mutating func take(_ places: [Int], of place: Int, _ revocation: Revocation, endsLine: Bool) {
    for one in places { lines[place].transactions[one].revocation = revocation }
    lines[place].refundIsAsked = false
    guard endsLine else { return }
    let head = lines[place].current(at: clock)
    lines[place].state = .revoked
    lines[place].autoRenews = false
    lines[place].commitmentRenews = false
    lines[place].isRetrying = false
    lines[place].graceEndsAt = nil
    lines[place].chargesAt = nil
    lines[place].offers = []
    lines[place].priceIncrease = nil
    lines[place].note(
      .revoked, product: head.product, since: clock, accessEndsAt: min(head.expiresAt ?? clock, clock))
  }

  /// Revokes a member's shared access to the subscription.
  mutating func takeBack(_ member: Int, reason: Int64) {
    let running = lines[member].current(at: clock)
    let places = lines[member].transactions.indices.filter {
      let one = lines[member].transactions[$0]
      return one.stands && (one.purchaseAt > clock || one.id == running.id)
    }
    let type = lines[member].isAssigned ? "ASSIGNMENT_REVOKE" : "FAMILY_REVOKE"
    let revocation = Revocation(at: clock, reason: reason, type: type, percentage: nil)
    take(places, of: member, revocation, endsLine: true)
    for one in places { tell("REVOKE", v1: "REVOKE", line: member, transaction: lines[member].transactions[one]) }
  }

  mutating func reverseRefund() throws(ActionError) {
    if let (place, one) = refundedSeats { return try reverseSeatRefund(place, one) }
    guard let (place, places) = refunded else { throw ActionError(.nothingPending, "nothing was refunded") }
    if let place, lines[place].seating != nil, lines[place].state != .revoked {
      return try reverseOneOfSeveral(place, places)
    }
    refunded = nil
    guard let place else {
      for one in places {
        purchases[one].endRevocation(at: clock)
        tell("REFUND_REVERSED", v1: nil, purchase: one)
      }
      return
    }
    let head = lines[place].current(at: clock)
    let refundedAt = lines[place].transactions[places[0]].revocation?.at ?? clock
    let isHead = lines[place].samePeriod(as: head).contains(places[0])
    for one in places { lines[place].transactions[one].endRevocation(at: clock) }
    let seats = places.reduce(0) { $0 + (lines[place].transactions[$1].seats?.left ?? 0) }
    if isHead { lines[place].seating?.quantity = seats }
    let end = lines[place].transactions[places[0]].expiresAt ?? clock
    if isHead {
      lines[place].state = clock < end ? .active : .expired
      if clock >= end { lines[place].expirationIntent = 1 }
    }
    lines[place].undoRevocation(
      since: refundedAt, end: end, now: clock, isHead: isHead, seats: lines[place].seating == nil ? 1 : seats)
    for one in places {
      tell("REFUND_REVERSED", v1: nil, line: place, transaction: lines[place].transactions[one])
    }
  }
}

extension SimulatedStore {
  /// Reverses the refund of one of several transactions, while their period is running.
  private mutating func reverseOneOfSeveral(_ place: Int, _ places: [Int]) throws(ActionError) {
    for one in places { try requireRunning(one, of: place) }
    refunded = nil
    for one in places {
      guard let revocation = lines[place].transactions[one].revocation else { continue }
      lines[place].transactions[one].endRevocation(at: clock)
      returnSeats(lines[place].transactions[one].seats?.left ?? 0, to: place, since: revocation.at)
      tell("REFUND_REVERSED", v1: nil, line: place, transaction: lines[place].transactions[one])
    }
  }
}

extension OriginalTransaction {
  /// Records a reversed refund: in ``history`` from now on, in ``hindsight`` as if it had not happened.
  fileprivate mutating func undoRevocation(
    since refundedAt: Instant, end: Instant, now: Instant, isHead: Bool, seats: Int64
  ) {
    guard let place = hindsight.firstIndex(where: { $0.since == refundedAt && $0.state == .revoked }) else { return }
    let product = hindsight[place].product
    var instead: [GroundTruth] = []
    if refundedAt < end {
      instead.append(
        GroundTruth(
          since: refundedAt, state: .active, product: product, accessEndsAt: end, seats: seats))
    }
    let lapse = max(refundedAt, end)
    let next = hindsight.count > place + 1 ? hindsight[place + 1].since : nil
    if next.map({ lapse < $0 }) ?? (lapse <= now) {
      instead.append(
        GroundTruth(since: lapse, state: .expired, product: product, accessEndsAt: end, seats: 0))
    }
    hindsight.replaceSubrange(place...place, with: instead)
    guard isHead else { return }
    history.append(
      GroundTruth(
        since: now, state: now < end ? .active : .expired, product: product, accessEndsAt: end,
        seats: now < end ? seats : 0))
  }
}
