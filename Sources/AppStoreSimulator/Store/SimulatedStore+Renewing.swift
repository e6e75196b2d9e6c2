import AppStore

/// Events that the App Store causes by itself: charges, renewals, failed payments, ends.
extension SimulatedStore {
  /// Returns the instant of the next event of a subscription; `nil` where none is due.
  func due(_ index: Int) -> Instant? {
    let line = lines[index]
    // A shared subscription follows the purchaser's, unless its product can no longer be shared.
    if line.sharedFrom != nil, !line.isDetached { return nil }
    switch line.state {
    case .active: return line.chargesAt ?? line.last.expiresAt
    case .gracePeriod: return line.graceEndsAt
    case .billingRetry: return line.retryEndsAt
    case .expired, .revoked: return nil
    }
  }

  mutating func act(on index: Int) {
    switch lines[index].state {
    case .active where lines[index].chargesAt != nil:
      lines[index].chargesAt = nil
      if obstacle(to: lines[index]) == nil, !lines[index].paymentFails { renewAhead(index) }
    case .active: lapse(index)
    case .gracePeriod: endGrace(index)
    case .billingRetry: expire(index, intent: 2, subtype: "BILLING_RETRY", v1: "DID_CHANGE_RENEWAL_STATUS")
    case .expired, .revoked: break
    }
  }

  /// Returns the `expirationIntent` of what stops the renewal, except payment; `nil` where nothing stops it.
  private func obstacle(to line: OriginalTransaction) -> Int64? {
    if let raised = line.priceIncrease, raised.isRefused || raised.needsConsent && !raised.isAgreed { return 3 }
    if line.sharedFrom != nil { return 5 }
    if !line.autoRenews { return 1 }
    if let year = line.last.commitment, year.number < Commitment.total { return nil }
    if withdrawn.contains(line.nextProduct) { return 4 }
    return line.renewalCount >= rate.renewalLimit ? 1 : nil
  }

  /// Plans the charge a little before the period ends. Apple charges within 24 hours before (Apple, "Handling
  /// subscriptions billing").
  mutating func planCharge(_ index: Int) {
    guard let end = lines[index].last.expiresAt, lines[index].sharedFrom == nil else { return }
    let isMoreThanOneDay = rate == .realTime && random.happens(0.3)
    let lead = random.number(in: isMoreThanOneDay ? 600..<86_400 : 1..<(rate == .realTime ? 600 : 6)) * 1000
    let earliest = max(clock, lines[index].last.purchaseAt) + 1000
    lines[index].chargesAt = end + -lead >= earliest ? end + -lead : nil
  }

  private mutating func renewAhead(_ index: Int) {
    guard let end = lines[index].last.expiresAt else { return }
    renew(index, at: end)
    tell("DID_RENEW", v1: "DID_RENEW", line: index)
    for member in members(of: index) where lines[member].isCharged(at: clock) {
      tell("DID_RENEW", v1: "DID_RENEW", line: member)
    }
  }

  private mutating func lapse(_ index: Int) {
    if lines[index].sharedFrom != nil { return expire(index, intent: 5, subtype: nil, v1: nil) }
    // Version 1 has no type for an end. It reports that renewal is off, if that is new.
    let lastWord = lines[index].autoRenews ? "DID_CHANGE_RENEWAL_STATUS" : nil
    switch obstacle(to: lines[index]) {
    case nil where !lines[index].paymentFails:
      // The customer turned renewal on again, or paid, shortly before the end.
      renew(index, at: clock)
      tell("DID_RENEW", v1: "DID_RENEW", line: index)
      for member in members(of: index) where lines[member].state == .active {
        tell("DID_RENEW", v1: "DID_RENEW", line: member)
      }
    case nil: failRenewal(index)
    case 3: expire(index, intent: 3, subtype: "PRICE_INCREASE", v1: lastWord)
    case 4: expire(index, intent: 4, subtype: "PRODUCT_NOT_FOR_SALE", v1: lastWord)
    case _: expire(index, intent: 1, subtype: "VOLUNTARY", v1: nil)
    }
  }

  private mutating func failRenewal(_ index: Int) {
    let end = clock
    let isWeekly = assortment.products[lines[index].last.product].period.map { $0.months == 0 } ?? false
    let days = isWeekly ? min(graceDays, 6) : graceDays
    let grace = days > 0 ? end + rate.days(days) : nil
    for one in [index] + members(of: index) {
      lines[one].state = grace == nil ? .billingRetry : .gracePeriod
      lines[one].isRetrying = true
      lines[one].expirationIntent = 2
      lines[one].graceEndsAt = grace
      lines[one].retryEndsAt = end + rate.days(60)
      lines[one].note(lines[one].state, product: lines[one].last.product, since: end, accessEndsAt: grace ?? end)
      tell("DID_FAIL_TO_RENEW", grace == nil ? nil : "GRACE_PERIOD", v1: "DID_FAIL_TO_RENEW", line: one)
    }
  }

  private mutating func endGrace(_ index: Int) {
    guard lines[index].autoRenews else { return expire(index, intent: 1, subtype: "VOLUNTARY", v1: nil) }
    for one in [index] + members(of: index) {
      lines[one].state = .billingRetry
      lines[one].note(.billingRetry, product: lines[one].last.product, since: clock, accessEndsAt: clock)
      tell("GRACE_PERIOD_EXPIRED", v1: nil, line: one)
    }
  }

  /// Ends a subscription and those shared from it, and sends the notifications. Only a new purchase continues them.
  mutating func expire(_ index: Int, intent: Int64, subtype: String?, v1: String?) {
    let ended = end(index, intent: intent)
    for one in ended { tell("EXPIRED", subtype, v1: v1, line: one) }
  }

  /// Ends a subscription and those shared from it, without notifications. The caller sends these later, because all
  /// notifications of an event state what holds after it.
  /// - Returns: the indexes of the subscriptions that ended.
  mutating func end(_ index: Int, intent: Int64) -> [Int] {
    let ended = lines[index].graceEndsAt ?? lines[index].last.expiresAt ?? clock
    let both = [index] + members(of: index)
    for one in both {
      lines[one].state = .expired
      lines[one].isRetrying = false
      lines[one].expirationIntent = intent
      lines[one].autoRenews = false
      lines[one].offers = []
      lines[one].note(.expired, product: lines[one].last.product, since: clock, accessEndsAt: min(ended, clock))
    }
    return both
  }

  /// Adds the next period of a subscription and of those shared from it.
  mutating func renew(_ index: Int, at start: Instant, cycle: Instant? = nil) {
    let line = lines[index]
    let product = line.nextProduct
    if product != line.last.product { lines[index].price = nil }
    if let raised = line.priceIncrease {
      lines[index].price = raised.price
      lines[index].priceIncrease = nil
    }
    if product != line.last.product || line.nextIsBilledMonthly != (line.last.commitment != nil) {
      (lines[index].anchor, lines[index].periodsSinceAnchor) = (start, 0)
    }
    lines[index].renewalCount += 1
    addPeriod(index, product: product, at: start, isRenewal: true, cycle: cycle)
    planCharge(index)
    for member in members(of: index) {
      if assortment.products[product].isFamilyShareable || lines[member].isAssigned {
        mirror(index, to: member, isRenewal: true)
      } else {
        lines[member].isDetached = true
      }
    }
  }

  /// Adds a transaction to a purchaser's subscription, with the next offer or at the full price.
  /// - Parameter cycle: the instant from which the period is counted, where that is not its start. A late payment in
  ///   the grace period keeps the old cycle.
  mutating func addPeriod(
    _ index: Int, product: Int, at start: Instant, isRenewal: Bool, cycle: Instant? = nil
  ) {
    let territory = accounts[lines[index].account].territory
    var offer: OfferTerms?
    if let next = lines[index].offers.first {
      offer = next.terms
      lines[index].offers[0].left -= 1
      if lines[index].offers[0].left == 0 { lines[index].offers.removeFirst() }
    }
    let end: Instant
    var commitment: Commitment?
    if let offer {
      end = rate.end(of: offer.period, times: offer.periodsEach, from: cycle ?? start)
      (lines[index].anchor, lines[index].periodsSinceAnchor) = (end, 0)
    } else if lines[index].nextIsBilledMonthly, let month = Period("P1M"), let year = Period("P1Y") {
      let last = isRenewal ? lines[index].transactions.last?.commitment : nil
      let number = last.map { $0.number % Commitment.total + 1 } ?? 1
      if number == 1 { (lines[index].anchor, lines[index].periodsSinceAnchor) = (start, 0) }
      let expires = number == 1 ? rate.end(of: year, times: 1, from: start) : last?.expiresAt ?? start
      commitment = Commitment(number: number, expiresAt: expires)
      lines[index].periodsSinceAnchor += 1
      end = rate.end(of: month, times: lines[index].periodsSinceAnchor, from: lines[index].anchor)
    } else if let period = assortment.products[product].period {
      lines[index].periodsSinceAnchor += 1
      end = rate.end(of: period, times: lines[index].periodsSinceAnchor, from: lines[index].anchor)
    } else {
      return
    }
    let full =
      lines[index].price
      ?? assortment.products[product].price(in: territory, billedMonthly: lines[index].nextIsBilledMonthly)
    let id = ids.next()
    let single = offer.map { price(of: $0, for: product, in: territory) } ?? full
    var seats: Seats?
    if let seating = lines[index].seating {
      lines[index].seating?.quantity = seating.next
      seats = Seats(seating.next, of: seating.management, price: single)
    }
    lines[index].transactions.append(
      Transaction(
        id: lines[index].transactions.isEmpty ? lines[index].id : id, originalID: lines[index].id,
        webOrderLineItemID: ids.next(), product: product, account: lines[index].account, purchaseAt: start,
        originalPurchaseAt: lines[index].startedAt, expiresAt: end, isRenewal: isRenewal, isShared: false,
        price: seats?.average ?? single, offer: offer, commitment: commitment, seats: seats,
        changedAt: clock))
    settle(index)
  }

  /// Resets the state after a new period: no failed payment, and no open refund request.
  mutating func settle(_ index: Int) {
    let last = lines[index].last
    lines[index].state = .active
    lines[index].isRetrying = false
    lines[index].expirationIntent = nil
    lines[index].graceEndsAt = nil
    lines[index].retryEndsAt = nil
    lines[index].refundIsAsked = false
    lines[index].nextProduct = last.product
    if let year = last.commitment, year.number == Commitment.total {
      lines[index].autoRenews = lines[index].commitmentRenews
    }
    lines[index].note(
      .active, product: last.product, since: last.purchaseAt, accessEndsAt: last.expiresAt ?? last.purchaseAt)
  }

  /// Returns the indexes of the subscriptions that are shared from one, still follow it, and have not ended.
  func members(of index: Int) -> [Int] {
    lines.indices.filter {
      lines[$0].sharedFrom == index && !lines[$0].isDetached && ![.expired, .revoked].contains(lines[$0].state)
    }
  }
}
