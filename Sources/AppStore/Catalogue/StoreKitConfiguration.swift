/// Reads Xcode's StoreKit configuration file, schema 1.0 to 5.x.
///
/// The schemas differ in the members that they have, not in the members' meaning. 1.0 lacks `nonRenewingSubscriptions`.
/// `codeOffers` came with 1.1, `numberOfPeriods` with 2.0, `winbackOffers` with 4.0. 5.0 has `introductoryOffers[]` and
/// `billingPlans`, sometimes beside the old `introductoryOffer`.
struct StoreKitConfiguration {
  let root: JSONValue

  func products() throws(CatalogueError) -> [Product] {
    if let version = root["version"] {
      let major = version["major"].flatMap { $0.numberText ?? $0.string }.flatMap { Int($0) }
      guard let major, (1...5).contains(major) else {
        let shown = version["major"].map { String(decoding: $0.source.prefix(20), as: UTF8.self) } ?? "missing"
        throw CatalogueError(
          .unknownSchema, "the schema's major version is \(shown)", path: "$.version.major")
      }
    }
    let settings = CatalogueReader(root["settings"] ?? root)
    let storefront = try settings.text("_storefront")
    var products: [Product] = []
    for item in (root["products"]?.elements ?? []) + (root["nonRenewingSubscriptions"]?.elements ?? []) {
      products.append(try product(item, storefront: storefront))
    }
    for group in root["subscriptionGroups"]?.elements ?? [] {
      let reader = CatalogueReader(group)
      let id = try reader.text("id")
      let name = try reader.text("name")
      for item in group["subscriptions"]?.elements ?? [] {
        var product = try product(item, storefront: storefront)
        if let own = product.subscriptionGroupID, let id, own != id {
          throw CatalogueError(
            .contradiction, "product \(product.id) is in group \(id), but names the group \(own)",
            path: item.path)
        }
        product.subscriptionGroupID = id ?? product.subscriptionGroupID
        product.subscriptionGroupName = name
        products.append(product)
      }
    }
    return products
  }

  private func product(_ item: JSONValue, storefront: String?) throws(CatalogueError) -> Product {
    let reader = CatalogueReader(item)
    var product = Product(id: try reader.id("productID"))
    product.type = try reader.type("type")
    product.referenceName = try reader.text("referenceName")
    product.subscriptionGroupID = try reader.text("subscriptionGroupID")
    product.serviceLevel = try reader.integer("groupNumber")
    product.period = try reader.period("recurringSubscriptionPeriod")
    product.isFamilyShareable = try reader.flag("familyShareable")
    product.names = try names(item)
    product.prices = try prices(item, storefront: storefront)
    product.offers = try offers(item)
    return product
  }

  private func names(_ item: JSONValue) throws(CatalogueError) -> [Product.Name] {
    var names: [String: Product.Name] = [:]
    for value in item["localizations"]?.elements ?? [] {
      let reader = CatalogueReader(value)
      guard let locale = try reader.text("locale") else { continue }
      let name = try reader.text("displayName") ?? ""
      let description = try reader.text("description") ?? ""
      if name.isEmpty, description.isEmpty { continue }
      names[locale] = Product.Name(locale: locale, displayName: name, description: description)
    }
    return names.values.sorted { $0.locale < $1.locale }
  }

  private func prices(_ item: JSONValue, storefront: String?) throws(CatalogueError) -> [Product.Price] {
    var prices: [Product.Price] = []
    if let price = try CatalogueReader(item).amount("displayPrice") {
      prices.append(Product.Price(price, storefront: storefront))
    }
    for plan in item["billingPlans"]?.elements ?? [] {
      let reader = CatalogueReader(plan)
      guard try reader.flag("isEnabled") ?? true, let price = try reader.amount("displayPrice") else { continue }
      prices.append(
        Product.Price(
          price, storefront: storefront, billingPlanType: try reader.text("billingPlanType"),
          commitmentAmount: try reader.amount("commitmentDisplayPrice")))
    }
    return prices
  }

  private func offers(_ item: JSONValue) throws(CatalogueError) -> [Product.Offer] {
    var offers: [Product.Offer] = []
    let many = item["introductoryOffers"]?.elements ?? []
    let single = [item["introductoryOffer"]].compactMap(\.self).filter(\.isObject)
    for value in many.isEmpty ? single : many { offers.append(try offer(value, type: 1)) }
    for value in item["adHocOffers"]?.elements ?? [] { offers.append(try offer(value, type: 2)) }
    for value in item["codeOffers"]?.elements ?? [] { offers.append(try offer(value, type: 3)) }
    for value in item["winbackOffers"]?.elements ?? [] { offers.append(try offer(value, type: 4)) }
    return offers
  }

  private func offer(_ value: JSONValue, type: Int64) throws(CatalogueError) -> Product.Offer {
    let reader = CatalogueReader(value)
    let name = try reader.text("referenceName")
    var offer = Product.Offer(type: type, identifier: try reader.text("offerID"), referenceName: name)
    if type == 3 { offer.identifier = offer.identifier ?? name }
    offer.discountType = try reader.paymentMode("paymentMode")
    offer.period = try reader.period("subscriptionPeriod")
    offer.periodCount = try reader.integer("numberOfPeriods")
    offer.price = try reader.amount("displayPrice")
    offer.eligibility = (value["eligibility"]?.elements ?? []).compactMap(\.string).sorted()
    offer.isStackable = try reader.flag("isStackable")
    return offer
  }
}
