import AppStore

/// What Apple's report about subscription events would say of one subscription, from what the store did.
struct SubscriptionEvents {
  /// An event, with the transaction and the product that it is about.
  struct Event {
    let at: Instant
    /// Apple's name of the event.
    let name: String
    let transaction: Transaction
    /// The product before a change of plan, as an index into the catalogue's products; `nil` for other events.
    var previousProduct: Int?
    /// The offer of the period before; `nil` at the full price.
    var previousOffer: OfferTerms?
    /// Apple's words for why a subscription ended; empty for other events.
    var cancellationReason = ""
    /// The name in analytics.
    var analyticsName = ""
  }

  private let catalog: Catalog
  private let transactions: [Transaction]
  private let entries: [GroundTruth]
  private let subscription: OriginalTransaction

  /// Creates the events of a subscription until an instant.
  init(_ subscription: OriginalTransaction, catalog: Catalog, until instant: Instant) {
    (self.subscription, self.catalog) = (subscription, catalog)
    entries = subscription.entries(until: instant)
    var orders: Set<Int64?> = []
    let ordered = subscription.transactions.enumerated().sorted { ($0.1.purchaseAt, $0.0) < ($1.1.purchaseAt, $1.0) }
    transactions = ordered.map(\.1).filter {
      !$0.isAddition && $0.purchaseAt <= instant && orders.insert($0.webOrderLineItemID).inserted
    }
  }

  /// Returns the events, without refunds.
  func all() -> [Event] {
    (purchases() + changes()).map { event in
      var event = event
      if event.analyticsName.isEmpty { event.analyticsName = Self.analyticsName(event) }
      return event
    }
  }

  /// Returns how the report of analytics names an event (Apple, "App Store Subscription Event").
  static func analyticsName(_ event: Event) -> String {
    let offer = event.transaction.offer
    let price = price(of: offer)
    let origin = offer == nil ? price : price + "s"
    let words = event.name.split(separator: " ")
    switch words[0] {
    case "Refund": return "Refunds from \(price)"
    case "Cancel": return "Voluntary Churn from \(origin)"
    case "Canceled":
      return words.contains("Retry") ? "Involuntary Churn from \(origin)" : "Voluntary Churn from \(origin)"
    case "Subscribe", "Start", "Reactivate", "Reactivation":
      return offer == nil ? "Full Price Subscription Starts" : "\(price) Starts"
    case "Renew": return "Full Price Renewals"
    default: break
    }
    if event.name.hasSuffix("from Grace Period") { return "\(price) Recoveries from Grace Period" }
    if event.name.hasSuffix("from Billing Retry") { return "\(price) Recoveries from Billing Retry" }
    if ["Upgrade", "Downgrade", "Crossgrade"].contains(words[0]) { return "Plan Changes" }
    return offer == nil ? "Full Price from \(Self.price(of: event.previousOffer))" : "\(price) Renewals"
  }

  /// Returns how analytics name what a period costs.
  static func price(of offer: OfferTerms?) -> String {
    offer.map { $0.discountType == "FREE_TRIAL" ? "Free Trial" : "Paid Offer" } ?? "Full Price"
  }

  /// A purchase or renewal is named after what the subscription was before.
  private func purchases() -> [Event] {
    var previous: Transaction?
    return transactions.map { transaction in
      defer { previous = transaction }
      guard let previous, let before = entries.last(where: { $0.since < transaction.purchaseAt }) else {
        return Event(at: transaction.purchaseAt, name: Self.start(transaction.offer), transaction: transaction)
      }
      return Event(
        at: transaction.purchaseAt, name: name(transaction, after: previous, in: before.state),
        transaction: transaction,
        previousProduct: transaction.product == previous.product ? nil : previous.product,
        previousOffer: previous.offer)
    }
  }

  private static func start(_ offer: OfferTerms?) -> String { offer.map { "Start \(words($0))" } ?? "Subscribe" }

  private func name(_ transaction: Transaction, after previous: Transaction, in state: PurchaseState) -> String {
    let change = transaction.product == previous.product ? nil : planChange(previous.product, transaction.product)
    switch state {
    case .gracePeriod: return "\(change ?? "Renewal") from Grace Period"
    case .billingRetry: return "\(change ?? "Renewal") from Billing Retry"
    case .expired, .revoked:
      if let offer = transaction.offer { return "Reactivation to \(Self.words(offer))" }
      return change.map { "Reactivate with \($0)" } ?? "Reactivate"
    case .active: break
    }
    let origin = previous.offer.map(Self.words)
    if let change { return origin.map { "\(change) from \($0)" } ?? change }
    if let offer = transaction.offer { return "\(Self.words(offer)) from \(origin ?? "Paid Subscription")" }
    return origin.map { "Paid Subscription from \($0)" } ?? "Renew"
  }

  /// Level 1 is the highest of a group.
  private func planChange(_ old: Int, _ new: Int) -> String {
    let (before, after) = (catalog.products[old].level, catalog.products[new].level)
    return after < before ? "Upgrade" : after > before ? "Downgrade" : "Crossgrade"
  }

  /// A failed renewal is reported when it fails, and the end when access or the retries end.
  private func changes() -> [Event] {
    zip(entries, entries.dropFirst()).compactMap { before, after in
      let current = transactions.last { $0.purchaseAt <= after.since } ?? subscription.last
      switch (before.state, after.state) {
      case (.active, .gracePeriod), (.active, .billingRetry):
        let origin = current.offer.map(Self.words) ?? "Paid Subscription"
        let state = after.state == .gracePeriod ? "Grace Period" : "Billing Retry"
        return Event(
          at: after.since, name: "Billing Retry from \(origin)", transaction: current,
          analyticsName: "Entered \(state) from \(Self.price(of: current.offer))")
      case (.gracePeriod, .billingRetry):
        // Only analytics count it.
        return Event(
          at: after.since, name: "", transaction: current, analyticsName: "Entered Billing Retry from Grace Period")
      case (.active, .expired):
        return Event(at: after.since, name: "Cancel", transaction: current, cancellationReason: "Canceled")
      case (.gracePeriod, .expired):
        return Event(
          at: after.since, name: "Canceled from Billing Grace Period", transaction: current,
          cancellationReason: "Billing issue")
      case (.billingRetry, .expired):
        return Event(
          at: after.since, name: "Canceled from Billing Retry", transaction: current,
          cancellationReason: "Billing issue")
      default: return nil
      }
    }
  }

  private static func words(_ offer: OfferTerms) -> String {
    switch offer.type {
    case 1: "Introductory Offer"
    case 2: "Promotional Offer"
    case 3: "Offer Code"
    default: "Win-Back Offer"
    }
  }
}
