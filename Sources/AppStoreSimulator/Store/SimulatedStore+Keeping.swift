import AppStore

/// Changes of the renewal: cancellation, payments, price increases, extensions.
extension SimulatedStore {
  mutating func cancel(_ index: Int) throws(ActionError) {
    let state = lines[index].state
    guard [.active, .gracePeriod, .billingRetry].contains(state) else {
      throw ActionError(.wrongState, "the subscription has ended already: it is \(state.rawValue)")
    }
    let year = lines[index].last.commitment
    guard year == nil ? lines[index].autoRenews : lines[index].commitmentRenews else {
      throw ActionError(.wrongState, "automatic renewal is off already")
    }
    lines[index].commitmentRenews = false
    // A year that is billed by the month continues to its end.
    if year.map({ $0.number == Commitment.total }) ?? true || state != .active { lines[index].autoRenews = false }
    // Apple stops the retries when the customer cancels (Apple, "Reducing involuntary subscriber churn").
    let ended = state == .billingRetry ? end(index, intent: 1) : []
    tellRenewalStatus(index, "AUTO_RENEW_DISABLED", isNewToV1: !lines[index].autoRenews)
    for one in ended { tell("EXPIRED", "VOLUNTARY", v1: nil, line: one) }
  }

  mutating func resume(_ index: Int) throws(ActionError) {
    let isYear = lines[index].last.commitment != nil
    guard [.active, .gracePeriod].contains(lines[index].state) else {
      throw ActionError(.wrongState, "the subscription has ended: it must be bought again")
    }
    guard isYear ? !lines[index].commitmentRenews : !lines[index].autoRenews else {
      throw ActionError(.wrongState, "automatic renewal is on")
    }
    lines[index].autoRenews = true
    lines[index].commitmentRenews = true
    lines[index].priceIncrease?.isRefused = false
    if lines[index].state == .active, !lines[index].isCharged(at: clock) { planCharge(index) }
    tellRenewalStatus(index, "AUTO_RENEW_ENABLED")
  }

  /// Records a change of the renewal status, and notifies the purchaser and the family members of it.
  /// - Parameter isNewToV1: whether V1 reports the change. V1 has the status of the next renewal, but no commitments.
  private mutating func tellRenewalStatus(_ index: Int, _ subtype: String?, isNewToV1: Bool = true) {
    for one in [index] + members(of: index) {
      lines[one].autoRenewChangedAt = clock
      tell("DID_CHANGE_RENEWAL_STATUS", subtype, v1: isNewToV1 ? "DID_CHANGE_RENEWAL_STATUS" : nil, line: one)
    }
  }

  mutating func failPayments(_ index: Int) throws(ActionError) {
    try requireActive(index)
    guard !lines[index].paymentFails else { throw ActionError(.wrongState, "the next payment fails already") }
    lines[index].paymentFails = true
  }

  mutating func resolvePayment(_ index: Int) throws(ActionError) {
    let line = lines[index]
    guard line.paymentFails else { throw ActionError(.nothingPending, "no payment has failed") }
    let isFailed = [.gracePeriod, .billingRetry].contains(line.state)
    guard !isFailed || line.autoRenews else {
      throw ActionError(.wrongState, "renewal was turned off, so there is nothing to pay")
    }
    lines[index].paymentFails = false
    guard isFailed else { return }
    let end = line.last.expiresAt ?? clock
    if line.state == .gracePeriod, nextEnd(of: line, from: end) > clock + 1000 {
      renew(index, at: clock, cycle: end)
    } else {
      (lines[index].anchor, lines[index].periodsSinceAnchor) = (clock, 0)
      if clock - end >= rate.days(60) { lines[index].recentStartAt = clock }
      renew(index, at: clock)
    }
    for one in [index] + members(of: index) where lines[one].state == .active {
      tell("DID_RENEW", "BILLING_RECOVERY", v1: "DID_RECOVER", line: one)
    }
  }

  /// Returns the end of a next period that begins where the last one ended.
  private func nextEnd(of line: OriginalTransaction, from end: Instant) -> Instant {
    if let offer = line.offers.first?.terms { return rate.end(of: offer.period, times: offer.periodsEach, from: end) }
    let period = line.nextIsBilledMonthly ? Period("P1M") : assortment.products[line.nextProduct].period
    return period.map { rate.end(of: $0, times: 1, from: end) } ?? end
  }

  mutating func raisePrice(_ index: Int, percent: Int64, needsConsent: Bool) throws(ActionError) {
    try requireActive(index, notCharged: true)
    guard (1...500).contains(percent) else { throw ActionError(.outOfRange, "a price is raised by 1 to 500 percent") }
    guard lines[index].autoRenews, lines[index].priceIncrease == nil, lines[index].last.commitment == nil else {
      throw ActionError(.wrongState, "its price cannot be raised now")
    }
    let raised = price(of: lines[index]) * (100 + percent) / 100
    let step = accounts[0].territory.step
    let unit: Int64 = step == 1000 ? 10 : step
    lines[index].priceIncrease = OriginalTransaction.PriceIncrease(
      price: max(price(of: lines[index]) + unit, raised / unit * unit), needsConsent: needsConsent, isAgreed: false)
    tell(
      "PRICE_INCREASE", needsConsent ? "PENDING" : "ACCEPTED", v1: needsConsent ? "PRICE_INCREASE_CONSENT" : nil,
      line: index)
  }

  private func requirePending(_ index: Int) throws(ActionError) {
    guard let raised = lines[index].priceIncrease, raised.needsConsent, !raised.isAgreed, !raised.isRefused,
      lines[index].state == .active
    else { throw ActionError(.nothingPending, "no price increase waits for an answer") }
  }

  mutating func agreeToPrice(_ index: Int) throws(ActionError) {
    try requirePending(index)
    lines[index].priceIncrease?.isAgreed = true
    if !lines[index].isCharged(at: clock) { planCharge(index) }
    tell("PRICE_INCREASE", "ACCEPTED", v1: nil, line: index)
  }

  mutating func refusePrice(_ index: Int) throws(ActionError) {
    try requirePending(index)
    lines[index].priceIncrease?.isRefused = true
    lines[index].autoRenews = false
    tellRenewalStatus(index, nil)
  }

  mutating func withdraw(_ index: Int) throws(ActionError) {
    try requireActive(index, notCharged: true)
    withdrawn.insert(lines[index].nextProduct)
  }

  mutating func extend(_ index: Int, days: Int64) throws(ActionError) {
    try requireActive(index, notCharged: true)
    guard (1...90).contains(days) else { throw ActionError(.outOfRange, "a renewal is extended by 1 to 90 days") }
    guard lines[index].last.commitment == nil else {
      throw ActionError(.wrongState, "a year that is billed by the month cannot be extended here")
    }
    for one in [index] + members(of: index) {
      guard let old = lines[one].last.expiresAt else { continue }
      let end = old + rate.days(days)
      let running = lines[one].samePeriod(as: lines[one].last)
      for each in running {
        lines[one].transactions[each].expiresAt = end
        lines[one].transactions[each].changedAt = clock
      }
      (lines[one].anchor, lines[one].periodsSinceAnchor) = (end, 0)
      lines[one].noteExtension(since: clock, to: end)
      planCharge(one)
      for each in running where lines[one].seating != nil && lines[one].transactions[each].stands {
        tell("RENEWAL_EXTENDED", v1: nil, line: one, transaction: lines[one].transactions[each])
      }
      if lines[one].seating == nil { tell("RENEWAL_EXTENDED", v1: nil, line: one) }
    }
  }

  mutating func extendAll(_ index: Int, days: Int64) throws(ActionError) {
    try extend(index, days: days)
    let summary = ExtensionSummary(
      requestIdentifier: random.uuid(), product: lines[index].last.product,
      storefronts: [accounts[0].territory.code], succeeded: 1, failed: 0)
    let content = StoreNotification(
      type: "RENEWAL_EXTENSION", subtype: "SUMMARY", typeV1: nil, uuid: random.uuid(), line: nil, transaction: nil,
      renewal: nil, state: nil, summary: summary)
    tell(.notification(content), account: 0)
  }
}
