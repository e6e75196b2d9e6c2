public import AppStore
internal import GRDB

/// A product that evidence names and no catalogue does.
public struct UnknownProduct: Sendable, Equatable {
  /// Its id.
  public var id: String
  /// Where it was seen.
  public var environment: String
  /// What Apple calls it, where that was said.
  public var type: String?
  /// How many transactions name it.
  public var transactionCount: Int
  /// The first of them.
  public var firstPurchaseAt: Instant
  /// The last of them.
  public var lastPurchaseAt: Instant
}

extension Ledger {
  /// The catalogue as it stood, with what each product grants, by group, level and id.
  /// - Throws: ``LedgerError``.
  public func products(_ question: Question) throws -> [Product] {
    try reading(settledLineQueue, "product", "product_entitlement") { database in
      try ask(database, [])
      try ask(database, question)
      var entitlements: [String: [String]] = [:]
      for row in try Row.fetchAll(
        database, sql: "SELECT product_id, entitlement FROM temp.product_entitlement ORDER BY entitlement")
      {
        entitlements[row["product_id"], default: []].append(row["entitlement"])
      }
      var products = try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM temp.product
          ORDER BY subscription_group_identifier IS NULL, subscription_group_identifier, service_level, product_id
          """
      ).map { try StoredProduct(database, $0).product }
      for place in products.indices {
        products[place].entitlements = entitlements.removeValue(forKey: products[place].id) ?? []
      }
      // What was entitled before any catalogue named it.
      for (id, names) in entitlements.sorted(by: { $0.key < $1.key }) {
        var product = Product(id: id)
        product.entitlements = names
        products.append(product)
      }
      return products
    }
  }

  /// The ids of all products that the catalogue names, or that grant an entitlement.
  /// - Throws: ``LedgerError``.
  public func productIDs(_ question: Question) throws -> Set<String> {
    try names("SELECT product_id FROM temp.product UNION SELECT product_id FROM temp.product_entitlement", question)
  }

  /// The names of all entitlements that some product grants.
  /// - Throws: ``LedgerError``.
  public func entitlementNames(_ question: Question) throws -> Set<String> {
    try names("SELECT DISTINCT entitlement FROM temp.product_entitlement", question)
  }

  private func names(_ sql: String, _ question: Question) throws -> Set<String> {
    try reading(settledLineQueue, "product", "product_entitlement") { database in
      try ask(database, [])
      try ask(database, question)
      return Set(try String.fetchAll(database, sql: sql))
    }
  }

  /// Products seen in evidence and in no catalogue, Production first, the most bought first.
  /// - Throws: ``LedgerError``.
  public func unknownProducts(_ question: Question) throws -> [UnknownProduct] {
    try reading(queue, "transaction_current") { database in
      try askAboutAll(database, question)
      return try Row.fetchAll(
        database,
        sql: """
          SELECT product_id, environment, MAX(type) AS type, COUNT(*) AS transaction_count,
            MIN(purchase_at) AS first_at, MAX(purchase_at) AS last_at
          FROM temp.transaction_current
          WHERE product_id IS NOT NULL AND product_id NOT IN (SELECT product_id FROM main.product_version)
          GROUP BY product_id, environment
          ORDER BY environment <> 'Production', environment, COUNT(*) DESC, product_id
          """
      ).map { row in
        UnknownProduct(
          id: row["product_id"], environment: row["environment"], type: row["type"],
          transactionCount: row["transaction_count"], firstPurchaseAt: Instant(milliseconds: row["first_at"]),
          lastPurchaseAt: Instant(milliseconds: row["last_at"]))
      }
    }
  }

  /// A product's name for people: in the locale asked for, else in any.
  /// - Throws: ``LedgerError``.
  public func productNames(locale: String = "en_US") throws -> [String: String] {
    try reading(settledLineQueue) { database in
      var names: [String: String] = [:]
      for row in try Row.fetchAll(
        database,
        sql: """
          SELECT v.product_id, n.display_name FROM main.product_version v JOIN main.product_name n USING (version_id)
          WHERE n.display_name <> ''
          ORDER BY v.recorded_at, v.version_id, n.locale = ?, n.locale LIKE 'en%', n.locale DESC
          """, arguments: [locale])
      {
        names[row["product_id"]] = row["display_name"]
      }
      return names
    }
  }
}
