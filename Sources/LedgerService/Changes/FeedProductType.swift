internal import GRDB
internal import LedgerStore

/// The type that evidence states of a product. It decides about purchases of the product that state none (rules §9), so
/// the feed looks at the product's purchases again.
struct FeedProductType {
  private let environment: String
  private let bundleID: String
  private let productID: String
  private let type: String

  /// Reads the types that versions of transactions state and that the feed has not read before.
  static func new(_ database: Database, after former: Int64, through last: Int64) throws -> [FeedProductType] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT n.* FROM (
            SELECT environment, bundle_id, product_id, MIN(type) AS type FROM main.stg_product_type
            WHERE version_id > ? AND version_id <= ? GROUP BY 1, 2, 3
          ) n
          LEFT JOIN main.change_feed_product_type f
            ON f.environment = n.environment AND f.bundle_id = n.bundle_id AND f.product_id = n.product_id
          WHERE f.type IS NULL OR n.type < f.type
          """), arguments: [former, last]
    ).map {
      FeedProductType(
        environment: $0["environment"], bundleID: $0["bundle_id"], productID: $0["product_id"], type: $0["type"])
    }
  }

  /// Stores it, and marks the purchases of the product as due.
  func store(_ transaction: ProjectionTransaction) throws {
    try transaction.execute(
      """
      INSERT OR REPLACE INTO main.change_feed_product_type (environment, bundle_id, product_id, type)
      VALUES (?, ?, ?, ?)
      """, [environment, bundleID, productID, type])
    try transaction.execute(
      "UPDATE main.change_feed_state SET next_change_at = 0 WHERE kind = 'one_time_purchase' AND product_id = ?",
      [productID])
  }
}
