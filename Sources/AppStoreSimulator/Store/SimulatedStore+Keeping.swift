import AppStore

/// Changes of the renewal: cancellation, payments, price increases, extensions.
extension SimulatedStore {
  mutating func cancel(_ index: Int) throws(ActionError) {
    let state = subscriptions[index].state
    guard [.active, .gracePeriod, .billingRetry].contains(state) else {
      throw ActionError(.wrongState, "the subscription has ended already: it is \(state.rawValue)")
    }
    let year = subscriptions[index].last.commitment
    guard year == nil ? subscriptions[index].autoRenews : subscriptions[index].commitmentRenews else {
      throw ActionError(.wrongState, "automatic renewal is off already")
    }
    subscriptions[index].commitmentRenews = false
    // A year that is billed by the month continues to its end.
    if year.map({ $0.number == Commitment.total }) ?? true || state != .active {
      subscriptions[index].autoRenews = false
    }
    // Apple stops the retries when the customer cancels (Apple, "Reducing involuntary subscriber churn").
    let ended = state == .billingRetry ? end(index, intent: 1) : []
    emitRenewalStatus(index, "AUTO_RENEW_DISABLED", isNewToV1: !subscriptions[index].autoRenews)
    for one in ended { emit("EXPIRED", "VOLUNTARY", v1: nil, subscription: one) }
  }

  mutating func resume(_ index: Int) throws(ActionError) {
    let isYear = subscriptions[index].last.commitment != nil
    guard [.active, .gracePeriod].contains(subscriptions[index].state) else {
      throw ActionError(.wrongState, "the subscription has ended: it must be bought again")
    }
    guard isYear ? !subscriptions[index].commitmentRenews : !subscriptions[index].autoRenews else {
      throw ActionError(.wrongState, "automatic renewal is on")
    }
    subscriptions[index].autoRenews = true
    subscriptions[index].commitmentRenews = true
    subscriptions[index].priceIncrease?.isRefused = false
    if subscriptions[index].state == .active, !subscriptions[index].isCharged(at: clock) { planCharge(index) }
    emitRenewalStatus(index, "AUTO_RENEW_ENABLED")
  }

  /// Records a change of the renewal status, and notifies the purchaser and the family members of it.
  /// - Parameter isNewToV1: whether V1 reports the change. V1 has the status of the next renewal, but no commitments.
  private mutating func emitRenewalStatus(_ index: Int, _ subtype: String?, isNewToV1: Bool = true) {
    for one in [index] + members(of: index) {
      subscriptions[one].autoRenewChangedAt = clock
      emit("DID_CHANGE_RENEWAL_STATUS", subtype, v1: isNewToV1 ? "DID_CHANGE_RENEWAL_STATUS" : nil, subscription: one)
    }
  }

  mutating func failPayments(_ index: Int) throws(ActionError) {
    try requireActive(index)
    guard !subscriptions[index].paymentFails else { throw ActionError(.wrongState, "the next payment fails already") }
    subscriptions[index].paymentFails = true
  }

  mutating func resolvePayment(_ index: Int) throws(ActionError) {
    let subscription = subscriptions[index]
    guard subscription.paymentFails else { throw ActionError(.nothingPending, "no payment has failed") }
    let isFailed = [.gracePeriod, .billingRetry].contains(subscription.state)
    guard !isFailed || subscription.autoRenews else {
      throw ActionError(.wrongState, "renewal was turned off, so there is nothing to pay")
    }
    subscriptions[index].paymentFails = false
    guard isFailed else { return }
    let end = subscription.last.expiresAt ?? clock
    if subscription.state == .gracePeriod, nextEnd(of: subscription, from: end) > clock + 1000 {
      renew(index, at: clock, cycle: end)
    } else {
      (subscriptions[index].anchor, subscriptions[index].periodsSinceAnchor) = (clock, 0)
      if clock - end >= rate.days(60) { subscriptions[index].recentStartAt = clock }
      renew(index, at: clock)
    }
    for one in [index] + members(of: index) where subscriptions[one].state == .active {
      emit("DID_RENEW", "BILLING_RECOVERY", v1: "DID_RECOVER", subscription: one)
    }
  }

  /// Returns the end of a next period that begins where the last one ended.
  private func nextEnd(of subscription: OriginalTransaction, from end: Instant) -> Instant {
    if let offer = subscription.offers.first?.terms {
      return rate.end(of: offer.period, times: offer.periodsEach, from: end)
    }
    let period = subscription.nextIsBilledMonthly ? Period("P1M") : catalog.products[subscription.nextProduct].period
    return period.map { rate.end(of: $0, times: 1, from: end) } ?? end
  }

  mutating func raisePrice(_ index: Int, percent: Int64, needsConsent: Bool) throws(ActionError) {
    try requireActive(index, notCharged: true)
    guard (1...500).contains(percent) else { throw ActionError(.outOfRange, "a price is raised by 1 to 500 percent") }
    guard subscriptions[index].autoRenews, subscriptions[index].priceIncrease == nil,
      subscriptions[index].last.commitment == nil
    else {
      throw ActionError(.wrongState, "its price cannot be raised now")
    }
    let raised = price(of: subscriptions[index]) * (100 + percent) / 100
    let step = accounts[0].territory.step
    let unit: Int64 = step == 1000 ? 10 : step
    subscriptions[index].priceIncrease = OriginalTransaction.PriceIncrease(
      price: max(price(of: subscriptions[index]) + unit, raised / unit * unit), needsConsent: needsConsent,
      isAgreed: false)
    emit(
      "PRICE_INCREASE", needsConsent ? "PENDING" : "ACCEPTED", v1: needsConsent ? "PRICE_INCREASE_CONSENT" : nil,
      subscription: index)
  }

  private func requirePending(_ index: Int) throws(ActionError) {
    guard let raised = subscriptions[index].priceIncrease, raised.needsConsent, !raised.isAgreed, !raised.isRefused,
      subscriptions[index].state == .active
    else { throw ActionError(.nothingPending, "no price increase waits for an answer") }
  }

  mutating func agreeToPrice(_ index: Int) throws(ActionError) {
    try requirePending(index)
    subscriptions[index].priceIncrease?.isAgreed = true
    if !subscriptions[index].isCharged(at: clock) { planCharge(index) }
    emit("PRICE_INCREASE", "ACCEPTED", v1: nil, subscription: index)
  }

  mutating func refusePrice(_ index: Int) throws(ActionError) {
    try requirePending(index)
    subscriptions[index].priceIncrease?.isRefused = true
    subscriptions[index].autoRenews = false
    emitRenewalStatus(index, nil)
  }

  mutating func withdraw(_ index: Int) throws(ActionError) {
    try requireActive(index, notCharged: true)
    withdrawn.insert(subscriptions[index].nextProduct)
  }

  mutating func extend(_ index: Int, days: Int64) throws(ActionError) {
    try requireActive(index, notCharged: true)
    guard (1...90).contains(days) else { throw ActionError(.outOfRange, "a renewal is extended by 1 to 90 days") }
    guard subscriptions[index].last.commitment == nil else {
      throw ActionError(.wrongState, "a year that is billed by the month cannot be extended here")
    }
    for one in [index] + members(of: index) {
      guard let old = subscriptions[one].last.expiresAt else { continue }
      let end = old + rate.days(days)
      let running = subscriptions[one].samePeriod(as: subscriptions[one].last)
      for each in running {
        subscriptions[one].transactions[each].expiresAt = end
        subscriptions[one].transactions[each].changedAt = clock
      }
      (subscriptions[one].anchor, subscriptions[one].periodsSinceAnchor) = (end, 0)
      subscriptions[one].noteExtension(since: clock, to: end)
      planCharge(one)
      for each in running where subscriptions[one].seating != nil && subscriptions[one].transactions[each].stands {
        emit("RENEWAL_EXTENDED", v1: nil, subscription: one, transaction: subscriptions[one].transactions[each])
      }
      if subscriptions[one].seating == nil { emit("RENEWAL_EXTENDED", v1: nil, subscription: one) }
    }
  }

  mutating func extendAll(_ index: Int, days: Int64) throws(ActionError) {
    try extend(index, days: days)
    let summary = ExtensionSummary(
      requestIdentifier: random.uuid(), product: subscriptions[index].last.product,
      storefronts: [accounts[0].territory.code], succeeded: 1, failed: 0)
    let content = StoreNotification(
      type: "RENEWAL_EXTENSION", subtype: "SUMMARY", typeV1: nil, uuid: random.uuid(), subscription: nil,
      transaction: nil,
      renewal: nil, state: nil, summary: summary)
    emit(.notification(content), account: 0)
  }
}
