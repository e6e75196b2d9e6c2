import AppStore
import Ledger
import TestSupport

@testable import AppStoreSimulator

/// What every metric truly was in a world, counted from the lives themselves: an independent model of the definitions,
/// that knows no payload, no SQL and no rule.
struct TrueFigures {
  /// By metric, then by `period`, `period currency` or `period step`.
  private(set) var figures: [String: [String: Int64]] = [:]
  /// What a month's share of prices is, exactly: rounded once in the ledger, by length.
  private(set) var monthly: [String: Double] = [:]

  private let periods: ReportPeriods
  private let end: Instant
  private let wording: Wording

  init(_ portfolio: Portfolio, _ periods: ReportPeriods) {
    self.periods = periods
    end = portfolio.simulation.to
    wording = portfolio.wording
    for customer in portfolio.customers {
      let store = customer.store
      for (index, subscription) in store.subscriptions.enumerated() {
        let life = TrueLife(subscription, end: end)
        if subscription.sharedFrom != nil {
          balance(subscription.isAssigned || wording.isSeat(subscription) ? "assigned_members" : "family_members") {
            life.kind(at: $0) != nil
          }
          continue
        }
        count(life, store)
        balance("auto_renew_off") { life.kind(at: $0) == .paid && !customer.renews(index, at: $0) }
        countTransactions(subscription, store)
      }
      for purchase in store.purchases { countMoney(purchase, store) }
      // What is shared ends with its purchaser's subscription: nobody was asked there.
      countQuestions(
        customer.notifications.filter {
          $0.content.subscription.map { store.subscriptions[$0].sharedFrom == nil } ?? true
        })
    }
    // What was active when a period began was so when the one before ended; before the first, nobody had bought.
    for (key, amount) in figures["active_subscriptions"] ?? [:] {
      guard let periodIndex = Int(key), periodIndex + 1 < periods.count else { continue }
      figures["active_at_beginning", default: [:]]["\(periodIndex + 1)"] = amount
    }
  }

  private func period(_ instant: Instant) -> Int? {
    (0..<periods.count).first { periods.bounds[$0] <= instant && instant < periods.bounds[$0 + 1] }
  }

  private mutating func add(_ metric: String, at instant: Instant, _ suffix: String = "", _ amount: Int64 = 1) {
    guard let period = period(instant), amount != 0, instant <= end else { return }
    figures[metric, default: [:]]["\(period)" + (suffix.isEmpty ? "" : " " + suffix), default: 0] += amount
  }

  private mutating func balance(_ metric: String, _ holds: (Instant) -> Bool) {
    for periodIndex in 0..<periods.count {
      let last = min(Instant(milliseconds: periods.bounds[periodIndex + 1].milliseconds - 1), end)
      if holds(last) { figures[metric, default: [:]]["\(periodIndex)", default: 0] += 1 }
    }
  }

  // MARK: - States

  private mutating func count(_ life: TrueLife, _ store: SimulatedStore) {
    balance("active_subscriptions") { life.kind(at: $0) == .paid }
    balance("active_trials") { life.kind(at: $0) == .trial }
    balance("in_grace") { life.kind(at: $0) == .paid && life.state(at: $0) == .gracePeriod }
    balance("in_billing_retry") { life.state(at: $0) == .billingRetry }
    let hasNoPrice = { [wording] in !wording.namesPrice(of: $0) }
    for periodIndex in 0..<periods.count {
      let last = min(Instant(milliseconds: periods.bounds[periodIndex + 1].milliseconds - 1), end)
      if let seats = life.seats(at: last), seats > 0 {
        figures["active_seats", default: [:]]["\(periodIndex)", default: 0] += seats
      }
      guard life.kind(at: last) == .paid, let running = life.transaction(at: last), running.price != nil else {
        continue
      }
      let valid = life.valid(at: last)
      let currency = store.accounts[running.account].territory.currency
      guard !valid.contains(where: hasNoPrice) else {
        let suffix = hasNoPrice(running) ? "" : " \(currency)"
        figures["active_unpriced", default: [:]]["\(periodIndex)\(suffix)", default: 0] += 1
        continue
      }
      let price = valid.reduce(0) { $0 + ($1.paid ?? 0) - refunded(of: $1, at: last) }
      monthly["\(periodIndex) \(currency)", default: 0] += Double(price) * months(running, store)
    }
    var wasPaid = false
    for (before, after) in zip([nil] + life.moments, life.moments) {
      let (old, new) = (before.flatMap { life.kind(at: $0) }, life.kind(at: after))
      if new == .paid, old != .paid { add(wasPaid ? "resubscribed" : "new_paid", at: after) }
      if old == .paid, new != .paid { add("churned", at: after) }
      wasPaid = wasPaid || new == .paid
      let (oldState, newState) = (before.flatMap { life.state(at: $0) }, life.state(at: after))
      for (state, name) in [(PurchaseState.gracePeriod, "grace"), (.billingRetry, "retry")] {
        if newState == state, oldState != state { add("\(name)_entered", at: after) }
        guard oldState == state, newState != state else { continue }
        add("\(name)_\(newState == .active ? "recovered" : "lost")", at: after)
        if newState == .active, let before, let paidUntil = life.transaction(at: before)?.expiresAt {
          add("recovery_days", at: after, "\((after - paidUntil) / 86_400_000)")
        }
      }
      if old == .paid, new == .paid, let before, let out = life.transaction(at: before),
        let into = life.transaction(at: after),
        out.product != into.product
      {
        add("switched_in", at: after)
      }
    }
  }

  /// What part of a price is a month's.
  private func months(_ transaction: Transaction, _ store: SimulatedStore) -> Double {
    if transaction.commitment != nil { return 1 }
    var period = store.catalog.products[transaction.product].period
    var count: Int64 = 1
    if let offer = transaction.offer, offer.discountType == "PAY_UP_FRONT" {
      (period, count) = (offer.period, offer.periodsEach)
    }
    guard let period else { return 0 }
    if period.months > 0 { return 1 / Double(period.months * count) }
    return [1: 30, 3: 10, 7: 4, 14: 2, 28: 1][period.days * count] ?? 28 / Double(period.days * count)
  }

  // MARK: - Purchases

  private mutating func countMoney(_ transaction: Transaction, _ store: SimulatedStore) {
    guard transaction.purchaseAt <= end, let price = transaction.paid, price > 0 else { return }
    let currency = store.accounts[transaction.account].territory.currency
    let isPriced = wording.namesPrice(of: transaction)
    if isPriced { add("revenue_gross", at: transaction.purchaseAt, currency, price) }
    add("transactions_paid", at: transaction.purchaseAt)
    if !isPriced { add("transactions_unpriced", at: transaction.purchaseAt) }
    var refunded: Int64 = 0
    defer {
      if isPriced, transaction.isAddition { add("expansion", at: transaction.purchaseAt, currency, price - refunded) }
    }
    for refund in transaction.seats?.refunds ?? [] where refund.at <= end {
      add("seat_refunds", at: refund.at)
      let part = self.refunded(of: transaction, at: refund.at) - refunded
      guard isPriced else { continue }
      refunded += part
      add("revenue_refunded", at: transaction.purchaseAt, currency, part)
      add("refunds_paid", at: refund.at, currency, part)
    }
    guard let revocation = transaction.revocation, transaction.upgradedAt == nil else { return }
    let part = (revocation.percentage.map { (price * $0 + 50_000) / 100_000 } ?? price) - refunded
    if isPriced {
      refunded += part
      add("revenue_refunded", at: transaction.purchaseAt, currency, part)
      add("refunds_paid", at: revocation.at, currency, part)
    }
    add("transactions_refunded", at: transaction.purchaseAt)
    add("refunds", at: revocation.at)
  }

  /// What was refunded of some seats of a transaction, at an instant: their share, as Apple states none.
  private func refunded(of transaction: Transaction, at instant: Instant) -> Int64 {
    guard let seats = transaction.seats, let paid = transaction.paid else { return 0 }
    let count = seats.refunds.filter { $0.at <= instant }.reduce(0) { $0 + $1.quantity }
    return (paid * count * 2 + seats.quantity) / (seats.quantity * 2)
  }

  // MARK: - Questions

  /// What Apple asked the app about refunds, and customers about prices.
  private mutating func countQuestions(_ notifications: [(at: Instant, content: AppStoreSimulator.StoreNotification)]) {
    for (index, (at, content)) in notifications.enumerated() {
      switch (content.type, content.subtype) {
      case ("CONSUMPTION_REQUEST", _):
        let answers = notifications[index...].filter { $0.content.transaction?.id == content.transaction?.id }
          .map(\.content.type)
        let outcome =
          answers.contains("REFUND") ? "refunded" : answers.contains("REFUND_DECLINED") ? "declined" : "open"
        add("refund_requests", at: at)
        add("refund_requests by reason", at: at, outcome)
      case ("PRICE_INCREASE", "PENDING"): countAnswer("asked", at)
      case ("PRICE_INCREASE", "ACCEPTED") where content.renewal?.priceNeedsConsent == true: countAnswer("agreed", at)
      case ("EXPIRED", "PRICE_INCREASE"): countAnswer("refused", at)
      default: break
      }
    }
  }

  private mutating func countAnswer(_ answer: String, _ at: Instant) {
    add("price_consent", at: at)
    add("price_consent by reason", at: at, answer)
  }

  private mutating func countTransactions(_ subscription: OriginalTransaction, _ store: SimulatedStore) {
    let life = TrueLife(subscription, end: end)
    let periods = life.purchases
    var trialAt: Instant?
    var previous: Transaction?
    var paid: Transaction?
    var journey: (first: Instant, step: Int64)?
    var unbroken: (first: Instant, step: Int64)?
    for one in periods {
      countMoney(one, store)
      // An addition of seats is a payment, and no period.
      if one.isAddition { continue }
      let storedUntil = life.refundedAt(periodOf: one)
      let isFree = one.price == 0
      let requiresSameFile = previous.map { life.accessEnd(of: $0) >= one.purchaseAt } ?? false
      if isFree, previous?.price != 0 {
        trialAt = requiresSameFile ? nil : one.purchaseAt
        if !requiresSameFile { add("trials_started", at: one.purchaseAt) }
      }
      if !isFree, previous?.price == 0, let trialAt, one.revocation == nil || one.upgradedAt != nil {
        add("trials_converted", at: trialAt)
      }
      if let offer = one.offer, previous?.offer?.type != offer.type || previous?.offer?.identifier != offer.identifier {
        add("offers_redeemed", at: one.purchaseAt)
      }
      if !isFree, one.offer?.type != 1 {
        let isCommitted = storedUntil == nil
        // The next payment is due when this period ends, or is refunded before that.
        let endsAt = one.expiresAt ?? one.purchaseAt
        let dueAt = min(endsAt, storedUntil ?? endsAt)
        let isSamePlan = one.product == paid?.product && (one.commitment == nil) == (paid?.commitment == nil)
        journey = journey.flatMap { isSamePlan ? ($0.first, $0.step + 1) : nil } ?? (one.purchaseAt, 0)
        unbroken =
          unbroken.flatMap { isSamePlan && requiresSameFile ? ($0.first, $0.step + 1) : nil } ?? (one.purchaseAt, 0)
        paid = one
        if dueAt <= end {
          if let journey { add("retention_due", at: journey.first, "\(journey.step + 1)") }
          if let unbroken { add("retention_unbroken_due", at: unbroken.first, "\(unbroken.step + 1)") }
        }
        if isCommitted, let journey { add("retention", at: journey.first, "\(journey.step)") }
        if isCommitted, let unbroken { add("retention_unbroken", at: unbroken.first, "\(unbroken.step)") }
      }
      previous = one
    }
  }
}

/// One line's life, as it reads at the world's end.
struct TrueLife {
  enum Kind { case paid, trial }

  private let subscription: OriginalTransaction
  private let truths: [GroundTruth]
  /// Every instant at which anything changed, in order.
  let moments: [Instant]
  /// Its purchases and renewals: what was given out anew for one order is one.
  let purchases: [Transaction]

  init(_ subscription: OriginalTransaction, end: Instant) {
    self.subscription = subscription
    truths = subscription.hindsight.filter { $0.since <= end }.sorted { $0.since < $1.since }
    var orders: Set<Int64> = []
    purchases = subscription.transactions.filter {
      $0.purchaseAt <= end && orders.insert($0.webOrderLineItemID ?? $0.id).inserted
    }
    moments = Set(truths.map(\.since) + purchases.map(\.purchaseAt)).sorted()
  }

  func state(at instant: Instant) -> PurchaseState? { truths.last { $0.since <= instant }?.state }

  func seats(at instant: Instant) -> Int64? { truths.last { $0.since <= instant }?.seats }

  func transaction(at instant: Instant) -> Transaction? { purchases.last { $0.purchaseAt <= instant } }

  /// The transactions that give access at an instant. There are several where seats were added.
  func valid(at instant: Instant) -> [Transaction] {
    guard let running = transaction(at: instant) else { return [] }
    guard subscription.hasSeats else { return [running] }
    return subscription.samePeriod(as: running).map { subscription.transactions[$0] }.filter { one in
      one.purchaseAt <= instant && one.revocation.map { $0.at > instant } ?? true
        && one.upgradedAt.map { $0 > instant } ?? true
    }
  }

  /// When all transactions of a period were refunded; `nil` where one was not.
  func refundedAt(periodOf one: Transaction) -> Instant? {
    let all = subscription.samePeriod(as: one).map { subscription.transactions[$0] }
    return all.contains { $0.revocation == nil || $0.upgradedAt != nil } ? nil : all.compactMap(\.revocation?.at).max()
  }

  private func hasAccess(at instant: Instant) -> Bool {
    [.active, .gracePeriod].contains(state(at: instant))
  }

  /// Whether it is paid for, or a trial; `nil` without access. (Of what is shared: anything.)
  func kind(at instant: Instant) -> Kind? {
    guard hasAccess(at: instant), let running = transaction(at: instant) else { return nil }
    if running.price != 0 { return .paid }
    // A free period that came to a payer, whose access never ended, changes nothing.
    for moment in moments.reversed() where moment < running.purchaseAt {
      guard hasAccess(at: moment), let one = transaction(at: moment) else { return .trial }
      if one.price != 0 { return .paid }
    }
    return .trial
  }

  /// Until when a purchase gave access.
  func accessEnd(of one: Transaction) -> Instant {
    let starts = Set(purchases.filter { !$0.isAddition }.map(\.purchaseAt))
    let after = moments.first { $0 > one.purchaseAt && (!hasAccess(at: $0) || starts.contains($0)) }
    return after ?? Instant(milliseconds: .max)
  }
}
