import AppStore

/// A customer with random actions. At each new period, random numbers decide what happens in it.
struct RandomCustomer {
  private struct Plan {
    let at: Instant
    let action: Action
    var target: SimulatedStore.Target?
  }

  private let rates: Rates
  private let rate: RenewalRate
  /// The end of the time for which the first purchases are planned.
  private let horizon: Instant
  private var player: ScenarioPlayer
  private var hasBegun = false
  /// Whether somebody else decides what the customer does.
  private var isLed = false
  private var random: SeededGenerator
  /// The planned actions; the next one is last.
  private var plans: [Plan] = []
  /// The last purchase for which actions are planned already, by the subscription's index. One-time purchases have
  /// negative keys.
  private var seen: [Int: Int64?] = [:]
  private var ended: Set<Int> = []

  init(simulation: Simulation, customer: Int) {
    rates = simulation.rates
    rate = simulation.rate
    horizon = simulation.to
    random = SeededGenerator(seed: simulation.seed, part: 0x11FE, UInt64(customer))
    let start = simulation.from + random.number(in: 0..<max(1, (simulation.to - simulation.from) / 1000)) * 1000
    player = ScenarioPlayer(store: simulation.store(for: customer, start: start), end: Simulation.last)
  }

  /// The store as it is now.
  var store: SimulatedStore { player.store }

  /// The first instant to which ``goOn(to:)`` must be called for something to happen; `nil` where nothing comes.
  var nextDue: Instant? {
    // The first purchase is planned for the present instant.
    guard hasBegun else { return player.store.clock + Self.actionLength }
    let planned = plans.last.map { max($0.at, player.store.clock) + Self.actionLength }
    return [player.store.nextDue, planned].compactMap(\.self).min()
  }

  /// Drops all plans, and makes none any more.
  mutating func dropPlans() {
    (isLed, hasBegun, plans) = (true, true, [])
  }

  /// Forgets how a refund was to be decided.
  mutating func forgetRefundPlans(of target: SimulatedStore.Target) {
    plans.removeAll { plan in
      guard plan.target == target else { return false }
      if case .refund = plan.action { return true }
      return plan.action == .declineRefund
    }
  }

  /// An action lasts a second, and a second more passes before anything else.
  private static let actionLength: Int64 = 2001

  /// Performs the next event up to an instant: one of the App Store, or a planned action. It does not matter in how
  /// many parts a caller goes on: the same happens at the same instants.
  /// - Returns: whether more events may follow.
  mutating func goOn(to limit: Instant) throws -> Bool {
    if !hasBegun {
      hasBegun = true
      firstPurchase()
    }
    let plan = plans.last
    if player.step(to: min(plan?.at ?? limit, limit)) {
      lookAtPeriods()
      return true
    }
    // One that would end after the limit waits, with its clock.
    guard let plan, max(plan.at, player.store.clock) + Self.actionLength <= limit else { return false }
    plans.removeLast()
    // The customer skips an action that is not possible now, because the app does not offer it.
    guard try player.attempt(plan.action, on: plan.target) else { return false }
    lookAtPeriods()
    return true
  }

  /// Performs an action that nobody planned.
  mutating func perform(_ action: Action, on target: SimulatedStore.Target?) throws {
    try player.perform(action, on: target)
    lookAtPeriods()
  }

  /// Moves the clock to the simulation's end, past an action that would end after it.
  mutating func finish(at end: Instant) -> [StoreMoment] {
    while player.step(to: end) {}
    return player.takeMoments()
  }

  /// Returns what happened since the last call, and forgets it.
  mutating func takeMoments() -> [StoreMoment] { player.takeMoments() }

  private mutating func plan(_ action: Action, at instant: Instant, _ target: SimulatedStore.Target? = nil) {
    let at = Instant(milliseconds: max(instant.milliseconds, player.store.clock.milliseconds) / 1000 * 1000)
    let index = plans.firstIndex { $0.at <= at } ?? plans.count
    plans.insert(Plan(at: at, action: action, target: target), at: index)
  }

  private mutating func happens(_ rate: Rate) -> Bool { random.happens(rates[rate]) }

  /// Returns a random instant between two. `first` and `last` are percentages of the way from start to end.
  private mutating func between(_ start: Instant, _ end: Instant, _ first: Int64 = 2, _ last: Int64 = 95) -> Instant {
    let length = max(1, end - start)
    return start + length / 100 * random.number(in: first..<last)
  }

  private func days(_ count: Int64) -> Int64 { rate.days(count) }

  // MARK: Buying

  private mutating func firstPurchase() {
    let (store, now) = (player.store, player.store.clock)
    let products = store.catalog.products
    guard let index = random.pick(store.catalog.subscriptions) else { return }
    let product = products[index]
    let code = happens(.code) ? random.pick(product.offers.filter { $0.type == 3 })?.identifier : nil
    let isMonthly = product.isBilledMonthly && happens(.billedMonthly)
    if rates[.seats] > 0, happens(.seats) {
      plan(
        .buySeats(
          product.id, seats: random.number(in: 2..<13), isManagedByDeveloper: happens(.seatsManagedByDeveloper)),
        at: now)
    } else if happens(.askToBuy) {
      plan(.askToBuy(product.id), at: now)
      let isApproved = !happens(.askDeclined)
      plan(.answerAskToBuy(isApproved: isApproved), at: between(now, now + days(1)))
      if !isApproved { plan(.buy(product.id), at: between(now + days(1), now + days(20))) }
    } else if happens(.interrupted) {
      plan(.interrupt(product.id), at: now)
      plan(.finishInterrupted, at: between(now, now + days(2)))
    } else {
      plan(.buy(product.id, offer: code, billedMonthly: isMonthly), at: now)
    }
    for _ in 0..<3 where happens(.oneTime) {
      guard let other = random.pick(store.catalog.oneTimePurchases) else { break }
      plan(.buy(products[other].id), at: between(now, horizon))
    }
    if happens(.secondGroup), let other = random.pick(store.catalog.subscriptions),
      products[other].group != product.group
    {
      plan(.buy(products[other].id), at: between(now, now + days(90)))
    }
  }

  // MARK: Each period

  private mutating func lookAtPeriods() {
    guard !isLed else { return }
    let store = player.store
    for (index, subscription) in store.subscriptions.enumerated() where subscription.sharedFrom == nil {
      if [.expired, .revoked].contains(subscription.state) {
        if ended.insert(index).inserted { planReturn(index, subscription) }
        continue
      }
      ended.remove(index)
      let period = subscription.lastPeriod
      guard seen[index] != period.webOrderLineItemID, let end = period.expiresAt else { continue }
      let isFirst = seen[index] == nil
      seen[index] = period.webOrderLineItemID
      planPeriod(index, subscription, from: period.purchaseAt, to: end, isFirst: isFirst)
      if subscription.seating != nil { planSeats(.subscription(index), from: period.purchaseAt, to: end) }
    }
    if plans.isEmpty, let index = store.purchases.indices.last, seen[-1 - index] == nil {
      seen[-1 - index] = 0
      if happens(.refundAsked) { planRefund(.purchase(index), at: between(store.clock, store.clock + days(10))) }
    }
  }

  private mutating func planPeriod(
    _ index: Int, _ subscription: OriginalTransaction, from start: Instant, to end: Instant, isFirst: Bool
  ) {
    let target = SimulatedStore.Target.subscription(index)
    let product = player.store.catalog.products[subscription.last.product]
    if happens(.cancel) {
      let at = between(start, end)
      plan(.cancel, at: at, target)
      if happens(.resume) { plan(.resume, at: between(at, end), target) }
    }
    if happens(.paymentFailure) { planFailure(target, from: start, to: end) }
    if happens(.refundAsked) { planRefund(target, at: between(start, end)) }
    if happens(.change), let other = otherProduct(than: subscription) {
      let at = between(start, end)
      plan(.change(to: other), at: at, target)
      if happens(.changeUndone) { plan(.change(to: product.id), at: between(at, end), target) }
    }
    if happens(.redeem), let offer = random.pick(product.offers.filter { $0.type == 2 || $0.type == 3 })?.identifier {
      plan(.redeem(offer), at: between(start, end), target)
    }
    if happens(.priceIncrease) { planPriceIncrease(target, from: start, to: end) }
    if happens(.extend) { plan(.extend(days: random.number(in: 1..<31)), at: between(start, end), target) }
    if happens(.restore) { plan(.restore, at: between(start, end), target) }
    if happens(.withdraw) { plan(.withdrawProduct, at: between(start, end), target) }
    if product.isFamilyShareable {
      if isFirst, happens(.share) {
        plan(.share, at: between(start, end), target)
        if happens(.share) { plan(.share, at: between(start, end), target) }
      }
      if happens(.stopSharing) { plan(.stopSharing, at: between(start, end), target) }
    }
  }

  private mutating func planSeats(_ target: SimulatedStore.Target, from start: Instant, to end: Instant) {
    for _ in 0..<2 where happens(.memberJoins) { plan(.joinTeam, at: between(start, end), target) }
    for _ in 0..<2 where happens(.seatsAdded) {
      plan(.addSeats(random.number(in: 1..<8)), at: between(start, end), target)
    }
    if happens(.memberLeaves) {
      plan(random.happens(0.5) ? .leaveTeam : .reassignSeat, at: between(start, end), target)
    }
    if happens(.seatsReduced) { plan(.reduceSeats(to: random.number(in: 1..<6)), at: between(start, end), target) }
    if happens(.seatsRefunded) {
      let at = between(start, end)
      plan(.refundSeats(random.number(in: 1..<4)), at: at, target)
      if happens(.refundReversed) { plan(.reverseRefund, at: between(at, end, 5, 99)) }
    }
    if happens(.seatPeriodRefunded) {
      let at = between(start, end)
      plan(random.happens(0.5) ? .refund() : .refundAll, at: at, target)
      if happens(.refundReversed) { plan(.reverseRefund, at: between(at, end, 5, 99)) }
    }
  }

  private mutating func otherProduct(than subscription: OriginalTransaction) -> String? {
    let products = player.store.catalog.products
    let others = player.store.catalog.subscriptions.filter {
      products[$0].group == subscription.group && $0 != subscription.last.product
    }
    return random.pick(others).map { products[$0].id }
  }

  private mutating func planFailure(_ target: SimulatedStore.Target, from start: Instant, to end: Instant) {
    plan(.failPayments, at: between(start, end, 1, 40), target)
    let grace = days(max(3, player.store.graceDays))
    if happens(.recoverSoon) {
      plan(.resolvePayment, at: between(end, end + grace, 1, 99), target)
    } else if happens(.recoverLate) {
      plan(.resolvePayment, at: between(end + grace, end + days(60), 1, 99), target)
    } else if happens(.cancel) {
      plan(.cancel, at: between(end, end + days(50), 1, 99), target)
    }
  }

  private mutating func planRefund(_ target: SimulatedStore.Target, at asked: Instant) {
    plan(.askForRefund, at: asked, target)
    let decided = between(asked, asked + days(3), 5, 99)
    guard happens(.refundGranted) else { return plan(.declineRefund, at: decided, target) }
    let isEarlier = happens(.refundEarlier)
    let percentage = happens(.refundProrated) ? random.number(in: 10..<91) * 1000 : nil
    plan(
      .refund(before: isEarlier ? 1 : 0, isAppsFault: happens(.refundAppsFault), percentage: percentage), at: decided,
      target)
    if happens(.refundReversed) { plan(.reverseRefund, at: between(decided, decided + days(40), 5, 99)) }
  }

  private mutating func planPriceIncrease(_ target: SimulatedStore.Target, from start: Instant, to end: Instant) {
    let at = between(start, end, 2, 60)
    let needsConsent = happens(.priceConsent)
    plan(.raisePrice(percent: random.number(in: 5..<60), needsConsent: needsConsent), at: at, target)
    guard needsConsent else { return }
    if happens(.priceAgreed) {
      plan(.agreeToPrice, at: between(at, end), target)
    } else if happens(.priceRefused) {
      plan(.refusePrice, at: between(at, end), target)
    }
  }

  private mutating func planReturn(_ index: Int, _ subscription: OriginalTransaction) {
    guard happens(.comeBack) else { return }
    let products = player.store.catalog.products
    let now = player.store.clock
    let isSame = random.happens(0.7)
    let id =
      isSame
      ? products[subscription.last.product].id
      : otherProduct(than: subscription) ?? products[subscription.last.product].id
    let offers = (products.first { $0.id == id }?.offers ?? []).filter { $0.type != 1 }
    let offer = happens(.winBack) ? random.pick(offers)?.identifier : nil
    plan(.buy(id, offer: offer), at: between(now, now + days(random.happens(0.5) ? 20 : 200)))
  }
}
