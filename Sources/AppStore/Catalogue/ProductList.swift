/// Reads a JSON list of products: `[{"product_id": …}, …]`, or
/// `{"bundle_id": …, "products": […], "entitlements": {"pro": [product ids]}}`.
///
/// Each product has a `product_id`, and any of `bundle_id`, `type`, `name` or `names` (by locale), `reference_name`,
/// `group`, `group_name`, `level`, `period`, `price` with `currency` or `storefront`, or `prices` (a list of those),
/// `family_shareable`, `offers`, `entitlements`.
struct ProductList {
  let root: JSONValue

  func products() throws(CatalogueError) -> [Product] {
    let items = root.isArray ? root : root["products"]
    guard let items, items.isArray else {
      throw CatalogueError(.unreadable, "the file contains no list of products")
    }
    let app = root.isObject ? try CatalogueReader(root).text("bundle_id") : nil
    var products: [Product] = []
    for item in items.elements {
      guard item.isObject else { throw CatalogueError(.invalid, "a product must be an object", path: item.path) }
      var product = try product(item)
      product.bundleID = product.bundleID ?? app
      products.append(product)
    }
    if let mapping = root["entitlements"] { try entitle(&products, mapping) }
    return products
  }

  private static let members: Set<String> = [
    "product_id", "productID", "productId", "id", "bundle_id", "type", "name", "names", "reference_name", "group",
    "group_name",
    "level", "period", "price", "currency", "storefront", "billing_plan_type", "prices", "family_shareable", "offers",
    "entitlements",
  ]

  private func product(_ item: JSONValue) throws(CatalogueError) -> Product {
    let reader = CatalogueReader(item)
    // A spelling mistake in a member's name would lose its value without notice.
    for key in item.keys where !Self.members.contains(key) {
      throw CatalogueError(
        .invalid, "the member \(key) is not known; known are \(Self.members.sorted().joined(separator: ", "))",
        path: item.path)
    }
    var product = Product(id: try reader.id("product_id", "productID", "productId", "id"))
    product.bundleID = try reader.text("bundle_id")
    product.type = try reader.type("type")
    product.referenceName = try reader.text("reference_name")
    product.subscriptionGroupID = try reader.text("group")
    product.subscriptionGroupName = try reader.text("group_name")
    product.serviceLevel = try reader.integer("level")
    product.period = try reader.period("period")
    product.isFamilyShareable = try reader.flag("family_shareable")
    product.entitlements = try reader.texts("entitlements")?.map(\.trimmingSpace).filter { !$0.isEmpty }
    if let name = try reader.text("name") {
      product.names = [Product.Name(locale: "", displayName: name, description: "")]
    }
    if let names = item["names"], names.isObject {
      product.names = zip(names.keys, names.members).map { locale, value in
        Product.Name(locale: locale, displayName: value.string ?? "", description: "")
      }
    }
    if let price = try price(item) { product.prices = [price] }
    if let prices = item["prices"], prices.isArray {
      var all: [Product.Price] = []
      for value in prices.elements {
        guard let price = try price(value) else {
          throw CatalogueError(.missing, "a price has no amount", path: value.path)
        }
        all.append(price)
      }
      product.prices = all
    }
    if let offers = item["offers"], offers.isArray {
      var all: [Product.Offer] = []
      for value in offers.elements { all.append(try offer(value)) }
      product.offers = all
    }
    return product
  }

  private func price(_ value: JSONValue) throws(CatalogueError) -> Product.Price? {
    let reader = CatalogueReader(value)
    guard let amount = try reader.amount("price") else { return nil }
    return Product.Price(
      amount, currency: try reader.text("currency"), storefront: try reader.text("storefront"),
      billingPlanType: try reader.text("billing_plan_type"))
  }

  private func offer(_ value: JSONValue) throws(CatalogueError) -> Product.Offer {
    let reader = CatalogueReader(value)
    let kinds: [String: Int64] = [
      "introductory": 1, "promotional": 2, "code": 3, "offercode": 3, "winback": 4, "1": 1, "2": 2, "3": 3, "4": 4,
    ]
    let kind = try reader.text("type")?.lowercased().filter { $0.isLetter || $0.isNumber }
    guard let kind, let type = kinds[kind] else {
      throw CatalogueError(
        .invalid, "an offer's type must be introductory, promotional, code or win_back", path: value.path)
    }
    var offer = Product.Offer(type: type, identifier: try reader.text("offer_identifier"))
    offer.referenceName = try reader.text("reference_name")
    offer.discountType = try reader.paymentMode("payment_mode")
    offer.period = try reader.period("period")
    offer.periodCount = try reader.integer("period_count")
    offer.price = try reader.amount("price")
    offer.eligibility = (try reader.texts("eligibility") ?? []).sorted()
    offer.isStackable = try reader.flag("is_stackable")
    return offer
  }

  /// Reads `{"pro": ["com.example.month", …]}`. A listed product that has no entitlement afterwards grants nothing.
  private func entitle(_ products: inout [Product], _ mapping: JSONValue) throws(CatalogueError) {
    guard mapping.isObject else {
      throw CatalogueError(.invalid, "entitlements must map each name to a list of product ids", path: mapping.path)
    }
    for (name, ids) in zip(mapping.keys, mapping.members) {
      for id in ids.elements {
        guard let index = products.firstIndex(where: { $0.id == id.string }) else {
          throw CatalogueError(
            .contradiction, "entitlement \(name) names a product that is not in the list", path: id.path)
        }
        let known = products[index].entitlements ?? []
        if !known.contains(name) { products[index].entitlements = known + [name] }
      }
    }
    for index in products.indices where products[index].entitlements == nil { products[index].entitlements = [] }
  }
}
