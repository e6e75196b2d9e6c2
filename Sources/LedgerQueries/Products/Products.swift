public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// A product that evidence names and the catalogue of its app does not.
public struct UnknownProduct: Sendable, Equatable {
  /// The product id, Apple's `productId`.
  public var id: String
  /// The bundle id of the app that sold it; `nil` when no purchase of it states one.
  public var bundleID: String?
  /// The name of the environment of its purchases.
  public var environment: String
  /// Apple's `type` of the product; `nil` when no evidence states it.
  public var type: String?
  /// How many transactions name it.
  public var transactionCount: Int
  /// The instant of its first purchase.
  public var firstPurchaseAt: Instant
  /// The instant of its last purchase.
  public var lastPurchaseAt: Instant
}

extension LedgerReader {
  /// Returns the catalogue at the instants of the query, with what each product grants. The order is by app,
  /// subscription group, service level and id.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func products(_ parameters: QueryParameters) throws -> [Product] {
    try lookUp("product", "product_entitlement") { database in
      try setParameters(database, [], parameters)
      var entitlements: [SoldProduct: [String]] = [:]
      for row in try database.rows(
        "SELECT bundle_id, product_id, entitlement FROM temp.product_entitlement ORDER BY entitlement")
      {
        let sold = SoldProduct(bundleID: row["bundle_id"], id: row["product_id"])
        entitlements[sold, default: []].append(row["entitlement"])
      }
      var products = try database.rows(
        """
        SELECT * FROM temp.product
        ORDER BY bundle_id, subscription_group_identifier IS NULL, subscription_group_identifier, service_level, product_id
        """
      ).map { try StoredProduct(database, $0).product }
      for index in products.indices {
        let sold = SoldProduct(bundleID: products[index].bundleID, id: products[index].id)
        products[index].entitlements = entitlements.removeValue(forKey: sold) ?? []
      }
      // Products that grant something, although no catalogue names them yet.
      for (sold, names) in entitlements.sorted(by: { $0.key < $1.key }) {
        var product = Product(id: sold.id, bundleID: sold.bundleID)
        product.entitlements = names
        products.append(product)
      }
      return products
    }
  }

  /// Returns the bundle ids of the apps that have a catalogue. Such an app has a product that is named or that grants
  /// an entitlement.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func catalogueApps(_ parameters: QueryParameters) throws -> Set<String> {
    try names("SELECT bundle_id FROM temp.int_catalogue_app WHERE named <> ''", parameters, "int_catalogue_app")
  }

  /// Returns the bundle ids of the last 1000 recorded payloads.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func recentApps() throws -> Set<String> {
    try lookUp { database in
      Set(
        try database.texts(
          """
          SELECT DISTINCT bundle_id FROM (SELECT bundle_id FROM main.payload ORDER BY payload_id DESC LIMIT 1000)
          WHERE bundle_id IS NOT NULL
          """, []))
    }
  }

  /// Returns the ids of all products that the catalogue names or that grant an entitlement.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func productIDs(_ parameters: QueryParameters) throws -> Set<String> {
    try names("SELECT product_id FROM temp.product UNION SELECT product_id FROM temp.product_entitlement", parameters)
  }

  /// Returns the names of all entitlements that some product grants.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func entitlementNames(_ parameters: QueryParameters) throws -> Set<String> {
    try names("SELECT DISTINCT entitlement FROM temp.product_entitlement", parameters)
  }

  private func names(_ sql: String, _ parameters: QueryParameters, _ views: String...) throws -> Set<String> {
    try lookUp(views + ["product", "product_entitlement"]) { database in
      try setParameters(database, [], parameters)
      return Set(try String.fetchAll(database, sql: sql))
    }
  }

  /// Returns the products that the evidence names and the catalogue of their app does not. Production comes first, then
  /// the product with the most transactions.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func unknownProducts(_ parameters: QueryParameters) throws -> [UnknownProduct] {
    try readAll(["transaction_current", "int_catalogue_app"], parameters) { database in
      try database.rows(
        """
        SELECT t.product_id, t.bundle_id, t.environment, MAX(t.type) AS type, COUNT(*) AS transaction_count,
          MIN(t.purchase_at) AS first_at, MAX(t.purchase_at) AS last_at
        FROM temp.transaction_current t
        LEFT JOIN temp.int_catalogue_app a ON a.named = COALESCE(t.bundle_id, '')
        WHERE t.product_id IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM main.product_version v WHERE v.product_id = t.product_id AND v.bundle_id = a.bundle_id)
        GROUP BY t.product_id, t.bundle_id, t.environment
        ORDER BY t.environment <> 'Production', t.environment, COUNT(*) DESC, t.product_id, t.bundle_id
        """
      ).map { row in
        UnknownProduct(
          id: row["product_id"], bundleID: row["bundle_id"], environment: row["environment"], type: row["type"],
          transactionCount: row["transaction_count"], firstPurchaseAt: Instant(milliseconds: row["first_at"]),
          lastPurchaseAt: Instant(milliseconds: row["last_at"]))
      }
    }
  }

  /// Returns the names of the products for people, by product id.
  /// - Parameter locale: the preferred locale. A product without a name in it has an English name, else one in any
  ///   locale.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func productNames(locale: String = "en_US") throws -> [String: String] {
    try lookUp { database in
      var names: [String: String] = [:]
      for row in try database.rows(
        """
        SELECT v.product_id, n.display_name FROM main.product_version v JOIN main.product_name n USING (version_id)
        WHERE n.display_name <> ''
        ORDER BY v.entered_at, v.version_id, n.locale = ?, n.locale LIKE 'en%', n.locale DESC
        """, [locale])
      {
        names[row["product_id"]] = row["display_name"]
      }
      return names
    }
  }
}

/// A product of one app.
private struct SoldProduct: Hashable, Comparable {
  var bundleID: String?
  var id: String

  static func < (left: SoldProduct, right: SoldProduct) -> Bool {
    (left.bundleID ?? "", left.id) < (right.bundleID ?? "", right.id)
  }
}
