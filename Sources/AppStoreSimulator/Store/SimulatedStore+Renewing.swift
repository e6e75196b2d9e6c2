import AppStore

/// Events that the App Store causes by itself: charges, renewals, failed payments, ends.
extension SimulatedStore {
  /// Returns the instant of the next event of a subscription; `nil` where none is due.
  func due(_ place: Int) -> Instant? {
    let line = lines[place]
    // A shared subscription follows the purchaser's, unless its product can no longer be shared.
    if line.sharedFrom != nil, !line.isDetached { return nil }
    switch line.state {
    case .active: return line.chargesAt ?? line.last.expiresAt
    case .gracePeriod: return line.graceEndsAt
    case .billingRetry: return line.retryEndsAt
    case .expired, .revoked: return nil
    }
  }

  mutating func act(on place: Int) {
    switch lines[place].state {
    case .active where lines[place].chargesAt != nil:
      lines[place].chargesAt = nil
      if obstacle(to: lines[place]) == nil, !lines[place].paymentFails { renewAhead(place) }
    case .active: lapse(place)
    case .gracePeriod: endGrace(place)
    case .billingRetry: expire(place, intent: 2, subtype: "BILLING_RETRY", v1: "DID_CHANGE_RENEWAL_STATUS")
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
  mutating func planCharge(_ place: Int) {
    guard let end = lines[place].last.expiresAt, lines[place].sharedFrom == nil else { return }
    let isLong = rate == .realTime && random.happens(0.3)
    let lead = random.number(in: isLong ? 600..<86_400 : 1..<(rate == .realTime ? 600 : 6)) * 1000
    let earliest = max(clock, lines[place].last.purchaseAt) + 1000
    lines[place].chargesAt = end + -lead >= earliest ? end + -lead : nil
  }

  private mutating func renewAhead(_ place: Int) {
    guard let end = lines[place].last.expiresAt else { return }
    renew(place, at: end)
    tell("DID_RENEW", v1: "DID_RENEW", line: place)
    for member in members(of: place) where lines[member].isCharged(at: clock) {
      tell("DID_RENEW", v1: "DID_RENEW", line: member)
    }
  }

  private mutating func lapse(_ place: Int) {
    if lines[place].sharedFrom != nil { return expire(place, intent: 5, subtype: nil, v1: nil) }
    // Version 1 has no type for an end. It reports that renewal is off, if that is new.
    let lastWord = lines[place].autoRenews ? "DID_CHANGE_RENEWAL_STATUS" : nil
    switch obstacle(to: lines[place]) {
    case nil where !lines[place].paymentFails:
      // The customer turned renewal on again, or paid, shortly before the end.
      renew(place, at: clock)
      tell("DID_RENEW", v1: "DID_RENEW", line: place)
      for member in members(of: place) where lines[member].state == .active {
        tell("DID_RENEW", v1: "DID_RENEW", line: member)
      }
    case nil: failRenewal(place)
    case 3: expire(place, intent: 3, subtype: "PRICE_INCREASE", v1: lastWord)
    case 4: expire(place, intent: 4, subtype: "PRODUCT_NOT_FOR_SALE", v1: lastWord)
    case _: expire(place, intent: 1, subtype: "VOLUNTARY", v1: nil)
    }
  }

  private mutating func failRenewal(_ place: Int) {
    let end = clock
    let isWeekly = assortment.products[lines[place].last.product].period.map { $0.months == 0 } ?? false
    let days = isWeekly ? min(graceDays, 6) : graceDays
    let grace = days > 0 ? end + rate.days(days) : nil
    for one in [place] + members(of: place) {
      lines[one].state = grace == nil ? .billingRetry : .gracePeriod
      lines[one].isRetrying = true
      lines[one].expirationIntent = 2
      lines[one].graceEndsAt = grace
      lines[one].retryEndsAt = end + rate.days(60)
      lines[one].note(lines[one].state, product: lines[one].last.product, since: end, accessEndsAt: grace ?? end)
      tell("DID_FAIL_TO_RENEW", grace == nil ? nil : "GRACE_PERIOD", v1: "DID_FAIL_TO_RENEW", line: one)
    }
  }

  private mutating func endGrace(_ place: Int) {
    guard lines[place].autoRenews else { return expire(place, intent: 1, subtype: "VOLUNTARY", v1: nil) }
    for one in [place] + members(of: place) {
      lines[one].state = .billingRetry
      lines[one].note(.billingRetry, product: lines[one].last.product, since: clock, accessEndsAt: clock)
      tell("GRACE_PERIOD_EXPIRED", v1: nil, line: one)
    }
  }

  /// Ends a subscription and those shared from it, and sends the notifications. Only a new purchase continues them.
  mutating func expire(_ place: Int, intent: Int64, subtype: String?, v1: String?) {
    let ended = end(place, intent: intent)
    for one in ended { tell("EXPIRED", subtype, v1: v1, line: one) }
  }

  /// Ends a subscription and those shared from it, without notifications. The caller sends these later, because all
  /// notifications of an event state what holds after it.
  /// - Returns: the indexes of the subscriptions that ended.
  mutating func end(_ place: Int, intent: Int64) -> [Int] {
    let ended = lines[place].graceEndsAt ?? lines[place].last.expiresAt ?? clock
    let both = [place] + members(of: place)
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
  mutating func renew(_ place: Int, at start: Instant, cycle: Instant? = nil) {
    let line = lines[place]
    let product = line.nextProduct
    if product != line.last.product { lines[place].price = nil }
    if let raised = line.priceIncrease {
      lines[place].price = raised.price
      lines[place].priceIncrease = nil
    }
    if product != line.last.product || line.nextIsBilledMonthly != (line.last.commitment != nil) {
      (lines[place].anchor, lines[place].periodsSinceAnchor) = (start, 0)
    }
    lines[place].renewalCount += 1
    addPeriod(place, product: product, at: start, isRenewal: true, cycle: cycle)
    planCharge(place)
    for member in members(of: place) {
      if assortment.products[product].isFamilyShareable || lines[member].isAssigned {
        mirror(place, to: member, isRenewal: true)
      } else {
        lines[member].isDetached = true
      }
    }
  }

  /// Adds a transaction to a purchaser's subscription, with the next offer or at the full price.
  /// - Parameter cycle: the instant from which the period is counted, where that is not its start. A late payment in
  ///   the grace period keeps the old cycle.
  mutating func addPeriod(
    _ place: Int, product: Int, at start: Instant, isRenewal: Bool, cycle: Instant? = nil
  ) {
    let territory = accounts[lines[place].account].territory
    var offer: OfferTerms?
    if let next = lines[place].offers.first {
      offer = next.terms
      lines[place].offers[0].left -= 1
      if lines[place].offers[0].left == 0 { lines[place].offers.removeFirst() }
    }
    let end: Instant
    var commitment: Commitment?
    if let offer {
      end = rate.end(of: offer.period, times: offer.periodsEach, from: cycle ?? start)
      (lines[place].anchor, lines[place].periodsSinceAnchor) = (end, 0)
    } else if lines[place].nextIsBilledMonthly, let month = Period("P1M"), let year = Period("P1Y") {
      let last = isRenewal ? lines[place].transactions.last?.commitment : nil
      let number = last.map { $0.number % Commitment.total + 1 } ?? 1
      if number == 1 { (lines[place].anchor, lines[place].periodsSinceAnchor) = (start, 0) }
      let expires = number == 1 ? rate.end(of: year, times: 1, from: start) : last?.expiresAt ?? start
      commitment = Commitment(number: number, expiresAt: expires)
      lines[place].periodsSinceAnchor += 1
      end = rate.end(of: month, times: lines[place].periodsSinceAnchor, from: lines[place].anchor)
    } else if let period = assortment.products[product].period {
      lines[place].periodsSinceAnchor += 1
      end = rate.end(of: period, times: lines[place].periodsSinceAnchor, from: lines[place].anchor)
    } else {
      return
    }
    let full =
      lines[place].price
      ?? assortment.products[product].price(in: territory, billedMonthly: lines[place].nextIsBilledMonthly)
    let id = ids.next()
    let single = offer.map { price(of: $0, for: product, in: territory) } ?? full
    var seats: Seats?
    if let seating = lines[place].seating {
      lines[place].seating?.quantity = seating.next
      seats = Seats(seating.next, of: seating.management, price: single)
    }
    lines[place].transactions.append(
      Transaction(
        id: lines[place].transactions.isEmpty ? lines[place].id : id, originalID: lines[place].id,
        webOrderLineItemID: ids.next(), product: product, account: lines[place].account, purchaseAt: start,
        originalPurchaseAt: lines[place].startedAt, expiresAt: end, isRenewal: isRenewal, isShared: false,
        price: seats?.average ?? single, offer: offer, commitment: commitment, seats: seats,
        changedAt: clock))
    settle(place)
  }

  /// Resets the state after a new period: no failed payment, and no open refund request.
  mutating func settle(_ place: Int) {
    let last = lines[place].last
    lines[place].state = .active
    lines[place].isRetrying = false
    lines[place].expirationIntent = nil
    lines[place].graceEndsAt = nil
    lines[place].retryEndsAt = nil
    lines[place].refundIsAsked = false
    lines[place].nextProduct = last.product
    if let year = last.commitment, year.number == Commitment.total {
      lines[place].autoRenews = lines[place].commitmentRenews
    }
    lines[place].note(
      .active, product: last.product, since: last.purchaseAt, accessEndsAt: last.expiresAt ?? last.purchaseAt)
  }

  /// Returns the indexes of the subscriptions that are shared from one, still follow it, and have not ended.
  func members(of place: Int) -> [Int] {
    lines.indices.filter {
      lines[$0].sharedFrom == place && !lines[$0].isDetached && ![.expired, .revoked].contains(lines[$0].state)
    }
  }
}
