import AppStore

/// Events that the App Store causes by itself: charges, renewals, failed payments, ends.
extension SimulatedStore {
  /// Returns the instant of the next event of a subscription; `nil` where none is due.
  func due(_ index: Int) -> Instant? {
    let subscription = subscriptions[index]
    // A shared subscription follows the purchaser's, unless its product can no longer be shared.
    if subscription.sharedFrom != nil, !subscription.isDetached { return nil }
    switch subscription.state {
    case .active: return subscription.chargesAt ?? subscription.last.expiresAt
    case .gracePeriod: return subscription.graceEndsAt
    case .billingRetry: return subscription.retryEndsAt
    case .expired, .revoked: return nil
    }
  }

  mutating func act(on index: Int) {
    switch subscriptions[index].state {
    case .active where subscriptions[index].chargesAt != nil:
      subscriptions[index].chargesAt = nil
      if obstacle(to: subscriptions[index]) == nil, !subscriptions[index].paymentFails { renewAhead(index) }
    case .active: lapse(index)
    case .gracePeriod: endGrace(index)
    case .billingRetry: expire(index, intent: 2, subtype: "BILLING_RETRY", v1: "DID_CHANGE_RENEWAL_STATUS")
    case .expired, .revoked: break
    }
  }

  /// Returns the `expirationIntent` of what stops the renewal, except payment; `nil` where nothing stops it.
  private func obstacle(to subscription: OriginalTransaction) -> Int64? {
    if let raised = subscription.priceIncrease, raised.isRefused || raised.needsConsent && !raised.isAgreed { return 3 }
    if subscription.sharedFrom != nil { return 5 }
    if !subscription.autoRenews { return 1 }
    if let year = subscription.last.commitment, year.number < Commitment.total { return nil }
    if withdrawn.contains(subscription.nextProduct) { return 4 }
    return subscription.renewalCount >= rate.renewalLimit ? 1 : nil
  }

  /// Plans the charge a little before the period ends. Apple charges within 24 hours before (Apple, "Handling
  /// subscriptions billing").
  mutating func planCharge(_ index: Int) {
    guard let end = subscriptions[index].last.expiresAt, subscriptions[index].sharedFrom == nil else { return }
    let isMoreThanOneDay = rate.month == nil && random.happens(0.3)
    let lead = random.number(in: isMoreThanOneDay ? 600..<86_400 : 1..<(rate.month == nil ? 600 : 6)) * 1000
    let earliest = max(clock, subscriptions[index].last.purchaseAt) + 1000
    subscriptions[index].chargesAt = end + -lead >= earliest ? end + -lead : nil
  }

  private mutating func renewAhead(_ index: Int) {
    guard let end = subscriptions[index].last.expiresAt else { return }
    renew(index, at: end)
    emit("DID_RENEW", v1: "DID_RENEW", subscription: index)
    for member in members(of: index) where subscriptions[member].isCharged(at: clock) {
      emit("DID_RENEW", v1: "DID_RENEW", subscription: member)
    }
  }

  private mutating func lapse(_ index: Int) {
    if subscriptions[index].sharedFrom != nil { return expire(index, intent: 5, subtype: nil, v1: nil) }
    // Version 1 has no type for an end. It reports that renewal is off, if that is new.
    let lastWord = subscriptions[index].autoRenews ? "DID_CHANGE_RENEWAL_STATUS" : nil
    switch obstacle(to: subscriptions[index]) {
    case nil where !subscriptions[index].paymentFails:
      // The customer turned renewal on again, or paid, shortly before the end.
      renew(index, at: clock)
      emit("DID_RENEW", v1: "DID_RENEW", subscription: index)
      for member in members(of: index) where subscriptions[member].state == .active {
        emit("DID_RENEW", v1: "DID_RENEW", subscription: member)
      }
    case nil: failRenewal(index)
    case 3: expire(index, intent: 3, subtype: "PRICE_INCREASE", v1: lastWord)
    case 4: expire(index, intent: 4, subtype: "PRODUCT_NOT_FOR_SALE", v1: lastWord)
    case _: expire(index, intent: 1, subtype: "VOLUNTARY", v1: nil)
    }
  }

  private mutating func failRenewal(_ index: Int) {
    let end = clock
    let isWeekly = catalog.products[subscriptions[index].last.product].period.map { $0.months == 0 } ?? false
    let days = isWeekly ? min(graceDays, 6) : graceDays
    let grace = days > 0 ? end + rate.days(days) : nil
    for one in [index] + members(of: index) {
      subscriptions[one].state = grace == nil ? .billingRetry : .gracePeriod
      subscriptions[one].isRetrying = true
      subscriptions[one].expirationIntent = 2
      subscriptions[one].graceEndsAt = grace
      subscriptions[one].retryEndsAt = end + rate.days(60)
      subscriptions[one].note(
        subscriptions[one].state, product: subscriptions[one].last.product, since: end, accessEndsAt: grace ?? end)
      emit("DID_FAIL_TO_RENEW", grace == nil ? nil : "GRACE_PERIOD", v1: "DID_FAIL_TO_RENEW", subscription: one)
    }
  }

  private mutating func endGrace(_ index: Int) {
    guard subscriptions[index].autoRenews else { return expire(index, intent: 1, subtype: "VOLUNTARY", v1: nil) }
    for one in [index] + members(of: index) {
      subscriptions[one].state = .billingRetry
      subscriptions[one].note(
        .billingRetry, product: subscriptions[one].last.product, since: clock, accessEndsAt: clock)
      emit("GRACE_PERIOD_EXPIRED", v1: nil, subscription: one)
    }
  }

  /// Ends a subscription and those shared from it, and sends the notifications. Only a new purchase continues them.
  mutating func expire(_ index: Int, intent: Int64, subtype: String?, v1: String?) {
    let ended = end(index, intent: intent)
    for one in ended { emit("EXPIRED", subtype, v1: v1, subscription: one) }
  }

  /// Ends a subscription and those shared from it, without notifications. The caller sends these later, because all
  /// notifications of an event state what holds after it.
  /// - Returns: the indexes of the subscriptions that ended.
  mutating func end(_ index: Int, intent: Int64) -> [Int] {
    let ended = subscriptions[index].graceEndsAt ?? subscriptions[index].last.expiresAt ?? clock
    let both = [index] + members(of: index)
    for one in both {
      subscriptions[one].state = .expired
      subscriptions[one].isRetrying = false
      subscriptions[one].expirationIntent = intent
      subscriptions[one].autoRenews = false
      subscriptions[one].offers = []
      subscriptions[one].note(
        .expired, product: subscriptions[one].last.product, since: clock, accessEndsAt: min(ended, clock))
    }
    return both
  }

  /// Adds the next period of a subscription and of those shared from it.
  mutating func renew(_ index: Int, at start: Instant, cycle: Instant? = nil) {
    let subscription = subscriptions[index]
    let product = subscription.nextProduct
    if product != subscription.last.product { subscriptions[index].price = nil }
    if let raised = subscription.priceIncrease {
      subscriptions[index].price = raised.price
      subscriptions[index].priceIncrease = nil
    }
    if product != subscription.last.product || subscription.nextIsBilledMonthly != (subscription.last.commitment != nil)
    {
      (subscriptions[index].anchor, subscriptions[index].periodsSinceAnchor) = (start, 0)
    }
    subscriptions[index].renewalCount += 1
    addPeriod(index, product: product, at: start, isRenewal: true, cycle: cycle)
    planCharge(index)
    for member in members(of: index) {
      if catalog.products[product].isFamilyShareable || subscriptions[member].isAssigned {
        mirror(index, to: member, isRenewal: true)
      } else {
        subscriptions[member].isDetached = true
      }
    }
  }

  /// Adds a transaction to a purchaser's subscription, with the next offer or at the full price.
  /// - Parameter cycle: the instant from which the period is counted, where that is not its start. A late payment in
  ///   the grace period keeps the old cycle.
  mutating func addPeriod(
    _ index: Int, product: Int, at start: Instant, isRenewal: Bool, cycle: Instant? = nil
  ) {
    let territory = accounts[subscriptions[index].account].territory
    var offer: OfferTerms?
    if let next = subscriptions[index].offers.first {
      offer = next.terms
      subscriptions[index].offers[0].left -= 1
      if subscriptions[index].offers[0].left == 0 { subscriptions[index].offers.removeFirst() }
    }
    let end: Instant
    var commitment: Commitment?
    if let offer {
      end = rate.end(of: offer.period, times: offer.periodsEach, from: cycle ?? start)
      (subscriptions[index].anchor, subscriptions[index].periodsSinceAnchor) = (end, 0)
    } else if subscriptions[index].nextIsBilledMonthly, let month = Period("P1M"), let year = Period("P1Y") {
      let last = isRenewal ? subscriptions[index].transactions.last?.commitment : nil
      let number = last.map { $0.number % Commitment.total + 1 } ?? 1
      if number == 1 { (subscriptions[index].anchor, subscriptions[index].periodsSinceAnchor) = (start, 0) }
      let expires = number == 1 ? rate.end(of: year, times: 1, from: start) : last?.expiresAt ?? start
      commitment = Commitment(number: number, expiresAt: expires)
      subscriptions[index].periodsSinceAnchor += 1
      end = rate.end(of: month, times: subscriptions[index].periodsSinceAnchor, from: subscriptions[index].anchor)
    } else if let period = catalog.products[product].period {
      subscriptions[index].periodsSinceAnchor += 1
      end = rate.end(of: period, times: subscriptions[index].periodsSinceAnchor, from: subscriptions[index].anchor)
    } else {
      return
    }
    let full =
      subscriptions[index].price
      ?? catalog.products[product].price(in: territory, billedMonthly: subscriptions[index].nextIsBilledMonthly)
    let id = ids.next()
    let single = offer.map { price(of: $0, for: product, in: territory) } ?? full
    var seats: Seats?
    if let seating = subscriptions[index].seating {
      subscriptions[index].seating?.quantity = seating.next
      seats = Seats(seating.next, of: seating.management, price: single)
    }
    subscriptions[index].transactions.append(
      Transaction(
        id: subscriptions[index].transactions.isEmpty ? subscriptions[index].id : id,
        originalID: subscriptions[index].id,
        webOrderLineItemID: ids.next(), product: product, account: subscriptions[index].account, purchaseAt: start,
        originalPurchaseAt: subscriptions[index].startedAt, expiresAt: end, isRenewal: isRenewal, isShared: false,
        price: seats?.average ?? single, offer: offer, commitment: commitment, seats: seats,
        changedAt: clock))
    settle(index)
  }

  /// Resets the state after a new period: no failed payment, and no open refund request.
  mutating func settle(_ index: Int) {
    let last = subscriptions[index].last
    subscriptions[index].state = .active
    subscriptions[index].isRetrying = false
    subscriptions[index].expirationIntent = nil
    subscriptions[index].graceEndsAt = nil
    subscriptions[index].retryEndsAt = nil
    subscriptions[index].refundIsAsked = false
    subscriptions[index].nextProduct = last.product
    if let year = last.commitment, year.number == Commitment.total {
      subscriptions[index].autoRenews = subscriptions[index].commitmentRenews
    }
    subscriptions[index].note(
      .active, product: last.product, since: last.purchaseAt, accessEndsAt: last.expiresAt ?? last.purchaseAt)
  }

  /// Returns the indexes of the subscriptions that are shared from one, still follow it, and have not ended.
  func members(of index: Int) -> [Int] {
    subscriptions.indices.filter {
      subscriptions[$0].sharedFrom == index && !subscriptions[$0].isDetached
        && ![.expired, .revoked].contains(subscriptions[$0].state)
    }
  }
}
