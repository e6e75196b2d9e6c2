public import AppStore

/// What an app sells, made ready for a simulated store: every product with its price, period and offers.
public struct Catalog: Sendable {
  /// The app's bundle id.
  public let bundleID: String
  /// The app's id in the App Store.
  public let appAppleID: Int64 = 1_234_567_890
  /// The products, as the catalogue lists them.
  public let products: [SoldProduct]

  /// Which products are subscriptions, by place.
  let subscriptions: [Int]
  /// Which are bought once, by place.
  let oneTimePurchases: [Int]

  /// What a catalogue offers.
  /// - Parameters:
  ///   - catalogue: products, of which at least one is an auto-renewable subscription with a period.
  ///   - bundleID: the app that sells them.
  /// - Throws: ``CatalogError`` where there is nothing to subscribe to, or an offer that cannot be sold.
  public init(_ catalogue: ProductCatalogue, bundleID: String) throws(CatalogError) {
    self.bundleID = bundleID
    var products: [SoldProduct] = []
    for product in catalogue.products { products.append(try SoldProduct(product)) }
    self.products = products
    subscriptions = products.indices.filter { products[$0].period != nil }
    oneTimePurchases = products.indices.filter { products[$0].period == nil }
    guard !subscriptions.isEmpty else {
      throw CatalogError(
        words: "the catalogue has no auto-renewable subscription, and customers' lives are made of those")
    }
  }

  /// The place of a product; an id, or as much of its end as names one only, such as `monthly`.
  /// - Throws: ``ActionError``, with the ids that there are.
  func place(of id: String) throws(ActionError) -> Int {
    if let exact = products.firstIndex(where: { $0.id == id }) { return exact }
    let ending = products.indices.filter { products[$0].id.hasSuffix("." + id) }
    guard ending.count == 1 else {
      throw ActionError(.unknownProduct, "\(id) is not sold; there are \(products.map(\.id).joined(separator: ", "))")
    }
    return ending[0]
  }
}

/// Why a catalogue cannot be sold from.
public struct CatalogError: Error, Sendable, Equatable {
  /// What is wrong, without a full stop.
  public let words: String
}

/// One product on sale.
public struct SoldProduct: Sendable {
  /// `productId`.
  public let id: String
  /// What kind of purchase it is.
  public let type: ProductType
  /// `subscriptionGroupIdentifier`; `nil` for one-time purchases.
  public let group: String?
  /// The level of service in its group: 1 is the highest.
  public let level: Int64
  /// How long a subscription's period is; `nil` for one-time purchases.
  public let period: Period?
  /// Whether it can be bought for a year that is billed by the month.
  public let isBilledMonthly: Bool
  /// Whether a family may share it.
  public let isFamilyShareable: Bool
  /// Its offers, ready to be redeemed.
  public let offers: [OfferTerms]
  /// What it costs, by storefront or currency.
  let prices: [Product.Price]

  init(_ product: Product) throws(CatalogError) {
    id = product.id
    type = product.type ?? (product.period != nil && product.subscriptionGroupID != nil ? .autoRenewable : .consumable)
    let isSubscription = type == .autoRenewable
    if isSubscription, product.period == nil {
      throw CatalogError(words: "subscription \(product.id) has no period")
    }
    group = isSubscription ? product.subscriptionGroupID ?? "20900001" : nil
    level = product.serviceLevel ?? 1
    period = isSubscription ? product.period : nil
    let plans = product.prices ?? []
    isBilledMonthly = plans.contains { $0.billingPlanType == "MONTHLY" } && product.period?.months == 12
    isFamilyShareable = product.isFamilyShareable ?? false
    prices = plans.isEmpty ? [Product.Price(milliunits: 4990, currency: "USD")] : plans
    var terms: [OfferTerms] = []
    for offer in product.offers ?? [] where isSubscription {
      if let one = OfferTerms(offer) { terms.append(one) }
    }
    offers = terms
  }

  /// What a period, or the thing itself, costs in a territory, in milliunits of its currency.
  public func price(in territory: Territory, billedMonthly: Bool = false) -> Int64 {
    let plan = prices.filter { ($0.billingPlanType == "MONTHLY") == billedMonthly }
    let candidates = plan.isEmpty ? prices : plan
    let own =
      candidates.first { $0.storefront == territory.code } ?? candidates.first { $0.currency == territory.currency }
    guard let price = own ?? candidates.first else { return 0 }
    if own != nil, price.currency == nil || price.currency == territory.currency { return price.milliunits }
    let currency = price.currency ?? Territory.all.first { $0.code == price.storefront }?.currency ?? "USD"
    return territory.price(from: price.milliunits, in: currency)
  }
}

/// An offer that can be redeemed.
public struct OfferTerms: Sendable, Equatable {
  /// As in transactions: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
  public let type: Int64
  /// `offerIdentifier`; `nil` for introductory offers.
  public let identifier: String?
  /// `FREE_TRIAL`, `PAY_AS_YOU_GO` or `PAY_UP_FRONT`.
  public let discountType: String
  /// One of its periods.
  public let period: Period
  /// How many transactions it lasts: one for a trial or when paid up front.
  public let transactionCount: Int64
  /// How many of its periods one transaction spans.
  public let periodsEach: Int64
  /// What a transaction costs, in milliunits of the currency that the price was told in (dollars, where it was not).
  public let milliunits: Int64
  /// Whether a code stacks on an introductory offer.
  public let isStackable: Bool

  /// `nil` where the catalogue does not say enough to sell it.
  init?(_ offer: Product.Offer) {
    guard let period = offer.period, let kind = offer.discountType else { return nil }
    type = offer.type
    identifier = offer.type == 1 ? nil : offer.identifier ?? offer.referenceName
    discountType = kind
    self.period = period
    let count = max(1, offer.periodCount ?? 1)
    transactionCount = kind == "PAY_AS_YOU_GO" ? count : 1
    periodsEach = kind == "PAY_AS_YOU_GO" ? 1 : count
    milliunits = kind == "FREE_TRIAL" ? 0 : offer.milliunits ?? 990
    isStackable = offer.isStackable ?? false
  }
}
