package import AppStore
package import GRDB
internal import LedgerSchema

/// A product version, as read from the file.
package struct StoredProduct {
  package var product: Product
  var enteredAt: Instant

  /// Returns the latest recorded version of a product, or `nil` when no catalogue contained the product.
  static func latest(_ rows: some RowSource, _ id: String, of bundleID: String?) throws -> StoredProduct? {
    let row = try rows.row(
      """
      SELECT * FROM main.product_version WHERE product_id = ? AND bundle_id IS ?
      ORDER BY entered_at DESC, version_id DESC LIMIT 1
      """, [id, bundleID])
    return try row.map { try StoredProduct(rows, $0) }
  }

  /// Reads a product from a row of `product_version` or of the view `product`, with its names, prices and offers.
  package init(_ source: some RowSource, _ row: Row) throws {
    let version: Int64 = row["version_id"]
    enteredAt = Instant(milliseconds: row["entered_at"])
    product = Product(id: row["product_id"], bundleID: row["bundle_id"])
    product.type = (row["type"] as String?).flatMap { ProductType($0) }
    product.referenceName = row["reference_name"]
    product.subscriptionGroupID = row["subscription_group_identifier"]
    product.subscriptionGroupName = row["subscription_group_name"]
    product.serviceLevel = row["service_level"]
    product.period = (row["period"] as String?).flatMap { Period($0) }
    product.isFamilyShareable = row["is_family_shareable"]
    product.names = try Self.rows(
      source, "SELECT * FROM main.product_name WHERE version_id = ? ORDER BY locale", version
    )
    .map { Product.Name(locale: $0["locale"], displayName: $0["display_name"], description: $0["description"]) }
    product.prices = try Self.rows(
      source, "SELECT * FROM main.product_price WHERE version_id = ? ORDER BY ordinal", version
    ).map {
      Product.Price(
        Milliunits($0["price_milliunits"] as Int64), currency: $0["currency"], storefront: $0["storefront"],
        billingPlanType: $0["billing_plan_type"], commitmentAmount: $0.amount("commitment_price_milliunits"))
    }
    product.offers = try Self.rows(
      source, "SELECT * FROM main.product_offer WHERE version_id = ? ORDER BY ordinal", version
    ).map { row in
      var offer = Product.Offer(
        type: row["offer_type"], identifier: row["offer_identifier"], referenceName: row["reference_name"])
      offer.discountType = row["offer_discount_type"]
      offer.period = (row["period"] as String?).flatMap { Period($0) }
      offer.periodCount = row["period_count"]
      offer.price = row.amount("price_milliunits")
      offer.eligibility = (row["eligibility"] as String? ?? "").split(separator: " ").map(String.init)
      offer.isStackable = row["is_stackable"]
      return offer
    }
  }

  private static func rows(_ source: some RowSource, _ sql: String, _ version: Int64) throws -> [Row] {
    try Row.fetchAll(source.query(sql), arguments: [version])
  }
}
