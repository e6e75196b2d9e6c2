public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// Whether a customer may start a purchase now.
public struct PurchaseClearance: Sendable, Equatable {
  /// Something that stands against it.
  public struct Obstacle: Sendable, Equatable {
    /// `in_flight`, `paid_unfinished`, `paid_not_verified` (finished on the device, and not in the evidence yet),
    /// `waiting_for_approval`, `already_entitled`; `paid_not_theirs` where the app reported a payment of theirs that gives
    /// access now, and that is not linked to them.
    public var reason: String
    /// Since when.
    public var since: Instant?
    /// When it ends by itself; `nil` where it does not.
    public var until: Instant?
    /// The transaction, where there is one.
    public var transactionID: String?
    /// Whether a renewal is expected then, as last stated.
    public var willRenew: Bool?
  }

  /// What stands against it, the longest-lasting first; empty where nothing does.
  public var obstacles: [Obstacle]

  /// The answer.
  public var mayPurchase: Bool { obstacles.isEmpty }
}

extension LedgerReader {
  /// May this customer start a purchase of this product now? The view `rule_purchase_obstacle` decides.
  /// - Parameters:
  ///   - customer: the app's id, or an account token.
  ///   - product: a product's id.
  ///   - environment: whose purchases count as theirs.
  ///   - attemptTimeout: how long an attempt without an end counts, in milliseconds.
  /// - Throws: ``LedgerError``.
  public func clearance(
    of customer: String, toPurchase product: String, in environment: Environment = .production, attemptTimeout: Int64,
    _ question: Question
  ) throws -> PurchaseClearance {
    try readEvidence("rule_purchase_obstacle", "int_customer_candidate") { database in
      let customer = try self.customer(database, named: customer, question)
      _ = try askAboutQueues(database, of: customer, question)
      try database.execute(sql: "DELETE FROM temp.param_clearance")
      try database.execute(sql: "INSERT INTO temp.param_clearance VALUES (?)", arguments: [attemptTimeout])
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM temp.rule_purchase_obstacle
          WHERE customer = ?1 AND product_id = ?2 AND COALESCE(environment, ?3) = ?3
          ORDER BY ends_at IS NOT NULL, ends_at DESC
          """, arguments: [customer, product, environment.name])
      return PurchaseClearance(
        obstacles: rows.map { row in
          PurchaseClearance.Obstacle(
            reason: row["reason"], since: row.instant("begins_at"), until: row.instant("ends_at"),
            transactionID: row["transaction_id"], willRenew: row["will_renew"])
        })
    }
  }
}
