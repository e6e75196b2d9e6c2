import AppStore

/// Writes what Apple would report of one customer, from what the store did.
struct CustomerReporter {
  private let store: SimulatedStore
  private let refunds: [(transaction: Transaction, isOneTime: Bool)]
  private let days: ClosedRange<Instant>
  private let calendar: ReportCalendar

  /// Creates a reporter of one customer.
  /// - Parameters:
  ///   - store: the store at the end.
  ///   - events: everything that happened. A reversed refund is only there.
  ///   - days: the days that are over at the end.
  ///   - calendar: how days are counted.
  init(store: SimulatedStore, events: [StoreEvent], days: ClosedRange<Instant>, calendar: ReportCalendar) {
    (self.store, self.days, self.calendar) = (store, days, calendar)
    refunds = Self.refunds(events)
  }

  /// Returns the refunds of the purchaser's own transactions, each once.
  private static func refunds(_ events: [StoreEvent]) -> [(transaction: Transaction, isOneTime: Bool)] {
    var seen: Set<[Int64]> = []
    return events.compactMap { event in
      guard case .notification(let notification) = event.content, notification.type == "REFUND",
        let transaction = notification.transaction, let revocation = transaction.revocation,
        seen.insert([transaction.webOrderLineItemID ?? transaction.id, revocation.at.milliseconds]).inserted
      else { return nil }
      return (transaction, notification.subscription == nil)
    }
  }

  func report(into texts: inout ReportTexts) {
    for purchase in store.purchases {
      addSale(
        purchase, price: purchase.paid ?? 0, isReduced: false, units: 1, on: calendar.day(of: purchase.purchaseAt),
        to: &texts)
    }
    for subscription in store.subscriptions where subscription.sharedFrom == nil && !subscription.isAssigned {
      let payments = payments(of: subscription)
      for (transaction, isReduced) in payments { addPayment(transaction, isReduced: isReduced, to: &texts) }
      for (transaction, isReduced) in payments where transaction.upgradedAt != nil {
        addUpgrade(transaction, isReduced: isReduced, to: &texts)
      }
      for (transaction, isOneTime) in refunds where !isOneTime && transaction.originalID == subscription.id {
        let isReduced = payments.first { $0.transaction.purchaseAt == transaction.purchaseAt }?.isReduced ?? false
        addRefund(transaction, isOneTime: false, isReduced: isReduced, to: &texts)
      }
      addStates(of: subscription, to: &texts)
      addEvents(of: subscription, to: &texts)
    }
    for (transaction, isOneTime) in refunds where isOneTime {
      addRefund(transaction, isOneTime: true, isReduced: false, to: &texts)
    }
  }

  /// Returns the paid transactions of a subscription, one for each order, each with whether a year of paid service came
  /// before it. A gap of more than 60 days begins a new year. An upgrade and a refund end the service of a period.
  private func payments(of subscription: OriginalTransaction) -> [(transaction: Transaction, isReduced: Bool)] {
    var orders: Set<Int64?> = []
    var (served, end, endsPaid): (Int64, Instant?, Bool) = (0, nil, false)
    var payments: [(Transaction, Bool)] = []
    let ordered = subscription.transactions.enumerated().sorted { ($0.1.purchaseAt, $0.0) < ($1.1.purchaseAt, $1.0) }
    for (_, transaction) in ordered where orders.insert(transaction.webOrderLineItemID).inserted {
      let isPaid = (transaction.paid ?? 0) > 0
      if let end, transaction.purchaseAt - end > 60 * RenewalRate.day { served = 0 }
      // A customer bought again after a refund that was reversed later. No time is served twice.
      if let end, endsPaid, !transaction.isAddition { served -= max(0, end - transaction.purchaseAt) }
      if isPaid { payments.append((transaction, served >= 365 * RenewalRate.day)) }
      guard !transaction.isAddition else { continue }
      let ends = [transaction.expiresAt, transaction.upgradedAt, transaction.revocation?.at].compactMap(\.self)
      let service = max(transaction.purchaseAt, ends.min() ?? transaction.purchaseAt)
      if isPaid { served += service - transaction.purchaseAt }
      (end, endsPaid) = (service, isPaid)
    }
    return payments
  }

  // MARK: Money

  private var territory: Territory { store.accounts[0].territory }
  private var country: String { ReportTerms.country(of: territory) }

  private func addPayment(_ transaction: Transaction, isReduced: Bool, to texts: inout ReportTexts) {
    let price = transaction.paid ?? 0
    addSubscriber(
      transaction, price: price, isReduced: isReduced, refund: nil, units: 1,
      on: calendar.day(of: transaction.purchaseAt),
      to: &texts)
    addSale(
      transaction, price: price, isReduced: isReduced, units: 1, on: calendar.day(of: transaction.purchaseAt),
      to: &texts)
  }

  /// A full refund has a unit, and a partial one has none.
  private func addRefund(
    _ transaction: Transaction, isOneTime: Bool, isReduced: Bool, to texts: inout ReportTexts
  ) {
    guard let revocation = transaction.revocation, let paid = transaction.paid, paid > 0 else { return }
    let share = revocation.percentage ?? 100_000
    let price = -Self.share(of: paid, share, 100_000)
    let units: Int64 = share == 100_000 ? -1 : 0
    if !isOneTime {
      addSubscriber(
        transaction, price: price, isReduced: isReduced, refund: transaction.purchaseAt, units: units,
        on: calendar.day(of: revocation.at), to: &texts)
    }
    addSale(
      transaction, price: price, isReduced: isReduced, units: units, on: calendar.day(of: revocation.at), to: &texts)
  }

  /// An upgrade returns the unused share of the price, as a refund without units.
  private func addUpgrade(_ transaction: Transaction, isReduced: Bool, to texts: inout ReportTexts) {
    guard let upgradedAt = transaction.upgradedAt, let expiresAt = transaction.expiresAt, let paid = transaction.paid
    else { return }
    let length = max(1, (expiresAt - transaction.purchaseAt) / 1000)
    let price = -Self.share(of: paid, max(0, (expiresAt - upgradedAt) / 1000), length)
    addSubscriber(
      transaction, price: price, isReduced: isReduced, refund: transaction.purchaseAt, units: 0,
      on: calendar.day(of: upgradedAt),
      to: &texts)
    addSale(transaction, price: price, isReduced: isReduced, units: 0, on: calendar.day(of: upgradedAt), to: &texts)
  }

  /// Returns a share of an amount, rounded to a hundredth of the currency's unit.
  private static func share(of amount: Int64, _ part: Int64, _ whole: Int64) -> Int64 {
    (amount / 10 * part + whole / 2) / whole * 10
  }

  private func addSubscriber(
    _ transaction: Transaction, price: Int64, isReduced: Bool, refund: Instant?, units: Int64, on day: Instant,
    to texts: inout ReportTexts
  ) {
    let offer = OfferWords(transaction.offer)
    let proceeds = ReportTerms.proceeds(of: abs(price), in: territory, isReduced: isReduced)
    texts.add(
      .subscriber, day,
      [day.date] + product(transaction.product) + [offer.name, offer.id, offer.type, offer.duration, ""] + [
        ReportTerms.text(price), territory.currency, ReportTerms.text(proceeds), territory.currency, " ",
        isReduced ? "Rate After One Year" : " ", " ", "iPhone", country, subscriberID, "", refund == nil ? "" : "Yes",
        refund.map { calendar.day(of: $0).date } ?? "",
      ], [units])
  }

  /// Apple's random number for a customer of a developer.
  private var subscriberID: String {
    var random = SeededGenerator(seed: UInt64(bitPattern: store.accounts[0].appTransactionID), part: 0x5B5C)
    return String(random.number(in: 1_000_000_000_000..<9_000_000_000_000))
  }

  private func addSale(
    _ transaction: Transaction, price: Int64, isReduced: Bool, units: Int64, on day: Instant,
    to texts: inout ReportTexts
  ) {
    let sold = store.catalog.products[transaction.product]
    let type =
      switch sold.type {
      case .autoRenewable: "IAY"
      case .nonRenewing: "IA9"
      default: "IA1"
      }
    let proceeds = ReportTerms.text(ReportTerms.proceeds(of: abs(price), in: territory, isReduced: isReduced))
    let date = ReportTexts.americanDate(day)
    let isSubscription = sold.period != nil
    let offer = transaction.offer
    // A row without units is one row for each refund; Apple joins the others by price.
    let unit = units == 0 ? "0" : "{units}"
    texts.add(
      .sales, day,
      [
        "APPLE", "US", sold.id, " ", sold.id, " ", type, unit, proceeds, date, date, territory.currency, country,
        territory.currency, String(Self.appleID(of: transaction.product)), ReportTerms.text(price), " ",
        store.catalog.bundleID, isSubscription ? transaction.isRenewal ? "Renewal" : "New" : " ",
        sold.period.map(OfferWords.duration) ?? " ", "Lifestyle", "", "iPhone", "iOS",
        isReduced ? "Rate After One Year" : " ", " ", " ",
        offer?.type == 1 ? OfferWords(offer).type + " Intro Offer" : " ",
      ], [units])
    guard price != 0 else { return }
    // Apple receives the money some days later. A refund of a part is a return at a smaller price.
    let settled = day + transaction.id % 4 * RenewalRate.day
    texts.add(
      .finance, settled,
      [
        date, ReportTexts.americanDate(settled), String(Self.appleID(of: transaction.product)), sold.id, sold.id,
        "Example",
        type, country, "{units}", proceeds, "{extended}", territory.currency, ReportTerms.text(price),
        territory.currency,
        price < 0 ? "R" : "S", "", "", "",
      ], [units == 0 ? -1 : units])
  }

  // MARK: States

  /// Adds the subscription to the snapshot of each day, in its state at the day's last instant.
  private func addStates(of subscription: OriginalTransaction, to texts: inout ReportTexts) {
    let entries = subscription.entries(until: days.upperBound + 2 * RenewalRate.day)
    guard let first = entries.first else { return }
    var index = 0
    var today = max(calendar.day(of: first.since), days.lowerBound)
    while today <= days.upperBound {
      let last = calendar.start(of: today + RenewalRate.day) + -1
      while index + 1 < entries.count, entries[index + 1].since <= last { index += 1 }
      if entries[index].since <= last { add(entries[index], of: subscription, at: last, on: today, to: &texts) }
      today = today + RenewalRate.day
      // Nothing more happens to a subscription that has ended.
      if index == entries.count - 1, [.expired, .revoked].contains(entries[index].state) { return }
    }
  }

  private func add(
    _ truth: GroundTruth, of subscription: OriginalTransaction, at instant: Instant, on today: Instant,
    to texts: inout ReportTexts
  ) {
    let transaction = subscription.current(at: instant)
    let offer = truth.state == .active ? OfferWords(transaction.offer) : OfferWords(nil)
    let column: String
    switch truth.state {
    case .active: column = offer.stateColumn
    case .gracePeriod: column = "Grace Period"
    case .billingRetry: column = "Billing Retry"
    case .expired, .revoked: return
    }
    let metric =
      switch truth.state {
      case .gracePeriod: "Grace period"
      case .billingRetry: "Billing retry"
      default: transaction.offer.map { $0.discountType == "FREE_TRIAL" ? "Free trials" : "Paid offers" } ?? "Full price"
      }
    let group = ["Grace period": "Billing issue", "Billing retry": "Billing issue", "Full price": "Paid plans"]
    texts.add(
      .analyticsState, today,
      [
        today.date, store.catalog.bundleID, String(store.catalog.appAppleID), metric,
        group[metric] ?? "Subscription offers",
      ]
        + analyticsProduct(truth.product, truth.state == .active ? transaction.offer : nil)
        + ["Individual", "", "App Store search", "Product page", "No", "iPhone", country], [1])
    let price = transaction.paid ?? 0
    let proceeds = ReportTerms.proceeds(of: price, in: territory, isReduced: false)
    texts.add(
      .subscription, today,
      product(truth.product) + [
        offer.name, offer.id, ReportTerms.text(price), territory.currency, ReportTerms.text(proceeds),
        territory.currency, "", "", "", "iPhone", " ", country,
      ], SimulatedReportType.states.map { $0 == column ? 1 : 0 })
  }

  // MARK: Events

  private func addEvents(of subscription: OriginalTransaction, to texts: inout ReportTexts) {
    let events = SubscriptionEvents(
      subscription, catalog: store.catalog, until: calendar.start(of: days.upperBound + RenewalRate.day) + -1)
    let start = subscription.transactions.first?.purchaseAt
    for event in events.all() { add(event, start: start, on: calendar.day(of: event.at), to: &texts) }
    for (transaction, isOneTime) in refunds where !isOneTime && transaction.originalID == subscription.id {
      guard (transaction.paid ?? 0) > 0, let at = transaction.revocation?.at else { continue }
      var refund = SubscriptionEvents.Event(at: at, name: "Refund", transaction: transaction)
      refund.analyticsName = SubscriptionEvents.analyticsName(refund)
      add(refund, start: start, on: calendar.day(of: at), to: &texts)
    }
  }

  private func add(
    _ event: SubscriptionEvents.Event, start: Instant?, on day: Instant, to texts: inout ReportTexts
  ) {
    let offer = OfferWords(event.transaction.offer)
    texts.add(
      .analyticsEvent, day,
      [day.date, store.catalog.bundleID, String(store.catalog.appAppleID), event.analyticsName, ""]
        + analyticsProduct(event.transaction.product, event.transaction.offer)
        + ["", "", "", "Individual", "", "", "App Store search", "Product page", "No", "iPhone", country], [1])
    guard !event.name.isEmpty else { return }
    let previous = event.previousProduct.map { [store.catalog.products[$0].id, String(Self.appleID(of: $0))] }
    texts.add(
      .events, day,
      [day.date, event.name] + product(event.transaction.product) + [offer.name, offer.id, offer.type, offer.duration]
        + ["", "", " ", " ", "", start.map { calendar.day(of: $0).date } ?? "", "iPhone", "", " ", country]
        + (previous ?? ["", ""]) + ["", event.cancellationReason, ""], [1])
  }

  // MARK: Words

  /// Returns the columns of the app and of a product.
  private func product(_ index: Int) -> [String] {
    let sold = store.catalog.products[index]
    return [
      store.catalog.bundleID, String(store.catalog.appAppleID), sold.id, String(Self.appleID(of: index)),
      sold.group ?? "", sold.period.map(OfferWords.duration) ?? "",
    ]
  }

  /// Returns the columns of a product and an offer in analytics.
  private func analyticsProduct(_ index: Int, _ offer: OfferTerms?) -> [String] {
    let sold = store.catalog.products[index]
    let words = OfferWords(offer)
    return [
      sold.id, String(Self.appleID(of: index)), sold.period.map(OfferWords.duration) ?? "", "", "", sold.group ?? "",
      sold.group ?? "", "", words.name, words.id, "", words.type, words.duration,
    ]
  }

  /// The number of a product in the App Store.
  private static func appleID(of product: Int) -> Int { 1_500_000_001 + product }
}

/// An offer in the words of reports; empty texts without an offer.
private struct OfferWords {
  let name, id, type, duration, stateColumn: String

  init(_ offer: OfferTerms?) {
    guard let offer else {
      (name, id, type, duration) = ("", "", "", "")
      stateColumn = "Active Standard Price Subscriptions"
      return
    }
    name = offer.identifier ?? ""
    id = offer.type == 2 ? offer.identifier ?? "" : ""
    type =
      switch offer.discountType {
      case "FREE_TRIAL": "Free Trial"
      case "PAY_UP_FRONT": "Pay Up Front"
      default: "Pay As You Go"
      }
    duration = Self.duration(offer.period, times: offer.transactionCount * offer.periodsEach)
    stateColumn =
      switch offer.type {
      case 1: "Active \(type) Introductory Offer Subscriptions"
      case 2: "\(type) Promotional Offer Subscriptions"
      case 3: "\(type) Offer Code Subscriptions"
      default: "\(type) Win-Back Offers"
      }
  }

  /// Returns a length as Apple writes it, such as `7 Days`, `1 Month` or `1 Year`.
  static func duration(_ period: Period) -> String { duration(period, times: 1) }

  private static func duration(_ period: Period, times: Int64) -> String {
    let (months, days) = (period.months * times, period.days * times)
    func words(_ count: Int64, _ unit: String) -> String { "\(count) \(unit)\(count == 1 ? "" : "s")" }
    if months == 0 { return words(days, "Day") }
    return months % 12 == 0 ? words(months / 12, "Year") : words(months, "Month")
  }
}
