public import AppStore

/// The products of an app for a simulated store, each with its price, period and offers.
public struct Catalog: Sendable {
  /// The app's bundle id, such as `com.example.meditation`.
  public let bundleID: String
  /// The app's id in the App Store: Apple's `appAppleId`.
  public let appAppleID: Int64 = 1_234_567_890
  /// The products, in the catalogue's order.
  public let products: [SoldProduct]

  /// The subscriptions, as indexes into ``products``.
  let subscriptions: [Int]
  /// The one-time purchases, as indexes into ``products``.
  let oneTimePurchases: [Int]

  /// Creates the catalogue of a simulated store. It leaves out offers without a period or a payment mode.
  /// - Parameters:
  ///   - catalogue: the products. At least one is an auto-renewable subscription with a period.
  ///   - bundleID: the bundle id of the app that sells them.
  /// - Throws: ``CatalogError`` where a subscription has no period, or where no product is a subscription.
  public init(_ catalogue: ProductCatalogue, bundleID: String) throws(CatalogError) {
    self.bundleID = bundleID
    var products: [SoldProduct] = []
    for product in catalogue.products { products.append(try SoldProduct(product)) }
    self.products = products
    subscriptions = products.indices.filter { products[$0].period != nil }
    oneTimePurchases = products.indices.filter { products[$0].period == nil }
    guard !subscriptions.isEmpty else {
      throw CatalogError(
        message: "the catalogue has no auto-renewable subscription, and a simulation needs one")
    }
  }

  /// Returns the index of a product. The text is its id, or an end of it that only one product has, such as `monthly`.
  /// - Throws: ``ActionError`` that lists the ids of all products.
  func index(of id: String) throws(ActionError) -> Int {
    if let exact = products.firstIndex(where: { $0.id == id }) { return exact }
    let ending = products.indices.filter { products[$0].id.hasSuffix("." + id) }
    guard ending.count == 1 else {
      throw ActionError(.unknownProduct, "'\(id)' is not sold; there are \(products.map(\.id).joined(separator: ", "))")
    }
    return ending[0]
  }
}

/// The reason why a simulated store cannot use a catalogue.
public struct CatalogError: Error, Sendable, Equatable {
  /// The problem as English text, without a full stop.
  public let message: String
}

/// A product on sale, with its prices and offers.
public struct SoldProduct: Sendable {
  /// Apple's `productId` of the product.
  public let id: String
  /// The type of the product, such as auto-renewable subscription or consumable.
  public let type: ProductType
  /// Apple's `subscriptionGroupIdentifier`; `nil` for one-time purchases.
  public let group: String?
  /// The level of service in its group; 1 is the highest.
  public let level: Int64
  /// The length of a subscription's period; `nil` for one-time purchases.
  public let period: Period?
  /// Whether a customer can buy it for a year and pay by the month.
  public let isBilledMonthly: Bool
  /// Whether the customer can share it through Family Sharing.
  public let isFamilyShareable: Bool
  /// The offers that customers can redeem.
  public let offers: [OfferTerms]
  /// The prices, by storefront or currency.
  let prices: [Product.Price]

  init(_ product: Product) throws(CatalogError) {
    id = product.id
    type = product.type ?? (product.period != nil && product.subscriptionGroupID != nil ? .autoRenewable : .consumable)
    let isSubscription = type == .autoRenewable
    if isSubscription, product.period == nil {
      throw CatalogError(message: "subscription \(product.id) has no period")
    }
    group = isSubscription ? product.subscriptionGroupID ?? "20900001" : nil
    level = product.serviceLevel ?? 1
    period = isSubscription ? product.period : nil
    let plans = product.prices ?? []
    isBilledMonthly = plans.contains { $0.billingPlanType == "MONTHLY" } && product.period?.months == 12
    isFamilyShareable = product.isFamilyShareable ?? false
    prices = plans.isEmpty ? [Product.Price(4990, currency: "USD")] : plans
    var terms: [OfferTerms] = []
    for offer in product.offers ?? [] where isSubscription {
      if let one = OfferTerms(offer) { terms.append(one) }
    }
    offers = terms
  }

  /// Returns the price in a territory, in milliunits of its currency: of one period, or of a one-time purchase.
  public func price(in territory: Territory, billedMonthly: Bool = false) -> Int64 {
    let plan = prices.filter { ($0.billingPlanType == "MONTHLY") == billedMonthly }
    let candidates = plan.isEmpty ? prices : plan
    let own =
      candidates.first { $0.storefront == territory.code } ?? candidates.first { $0.currency == territory.currency }
    guard let price = own ?? candidates.first else { return 0 }
    if own != nil, price.currency == nil || price.currency == territory.currency { return price.amount.rawValue }
    let currency = price.currency ?? Territory.all.first { $0.code == price.storefront }?.currency ?? "USD"
    return territory.price(from: price.amount.rawValue, in: currency)
  }
}

/// The terms of an offer that customers can redeem.
public struct OfferTerms: Sendable, Equatable {
  /// Apple's `offerType`: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
  public let type: Int64
  /// Apple's `offerIdentifier`; `nil` for introductory offers.
  public let identifier: String?
  /// Apple's `offerDiscountType`: `FREE_TRIAL`, `PAY_AS_YOU_GO` or `PAY_UP_FRONT`.
  public let discountType: String
  /// The length of one of the offer's periods.
  public let period: Period
  /// The number of transactions with the offer: one for a trial or a payment up front.
  public let transactionCount: Int64
  /// The number of the offer's periods in one transaction.
  public let periodsEach: Int64
  /// The price of one transaction, in milliunits. The currency is that of the product's first price, or USD without
  /// one.
  public let milliunits: Int64
  /// Whether a customer can combine the offer code with an introductory offer.
  public let isStackable: Bool

  /// Creates the terms of an offer; `nil` where the catalogue states no period or no payment mode.
  init?(_ offer: Product.Offer) {
    guard let period = offer.period, let kind = offer.discountType else { return nil }
    type = offer.type
    identifier = offer.type == 1 ? nil : offer.identifier ?? offer.referenceName
    discountType = kind
    self.period = period
    let count = max(1, offer.periodCount ?? 1)
    transactionCount = kind == "PAY_AS_YOU_GO" ? count : 1
    periodsEach = kind == "PAY_AS_YOU_GO" ? 1 : count
    milliunits = kind == "FREE_TRIAL" ? 0 : offer.price?.rawValue ?? 990
    isStackable = offer.isStackable ?? false
  }
}
