public import AppStore
internal import GRDB

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

extension Ledger {
  /// How long a parent has to approve a purchase before the App Store drops it.
  /// ("Approve what kids buy with Ask to Buy", Apple Support: a request is deleted after 24 hours.)
  public static let approvalMilliseconds: Int64 = 86_400_000

  /// May this customer start a purchase of this product now? No while an attempt is in flight, or paid and not in the evidence,
  /// and younger than the patience, while one waits for a parent's approval, and while the product is theirs already. What
  /// has shown up in evidence stands in nobody's way, whatever the device says: so nobody is locked out for ever.
  /// - Parameters:
  ///   - customer: the app's id, or an account token.
  ///   - product: a product's id.
  ///   - environment: whose purchases count as theirs.
  ///   - patience: how long an attempt without an end is waited for, in milliseconds.
  /// - Throws: ``LedgerError``.
  public func clearance(
    of customer: String, toPurchase product: String, in environment: Environment = .production, patience: Int64,
    _ question: Question
  ) throws -> PurchaseClearance {
    try reading(
      lineQueue, "purchase_attempt", "entitlement", "one_time_purchase", "customer_original_transaction",
      "int_customer_candidate"
    ) {
      database in
      let customer = try self.customer(database, named: customer, question)
      let ids = try askAboutQueues(database, of: customer, question)
      let places = ids.indices.map { ":id\($0)" }.joined(separator: ",")
      var arguments: [String: (any DatabaseValueConvertible)?] = [
        "customer": customer, "product": product, "environment": environment.name, "patience": patience,
        "approval": Self.approvalMilliseconds, "now": question.asOf.milliseconds,
      ]
      for (place, id) in ids.enumerated() { arguments["id\(place)"] = id }
      let rows = try Row.fetchAll(
        database,
        sql: """
          WITH mine AS (
            SELECT * FROM temp.purchase_attempt
            WHERE customer IN (\(places)) OR app_account_token IN (\(places))
          )
          SELECT * FROM (
            SELECT state AS reason, state_since AS since, transaction_id,
              state_since + CASE state WHEN 'waiting_for_approval' THEN :approval ELSE :patience END AS until,
              NULL AS will_renew
            FROM mine WHERE product_id = :product AND is_open = 1 AND kind <> 'restore'
            UNION ALL
            SELECT 'paid_not_verified', paid_at, transaction_id, paid_at + :patience, NULL
            FROM mine
            WHERE product_id = :product AND is_open = 0 AND finding = 'paid_never_verified' AND kind <> 'restore'
            UNION ALL
            SELECT 'paid_not_theirs', a.paid_at, a.transaction_id, e.access_ends_at, e.will_renew
            FROM mine a
            JOIN main.store_transaction t ON t.transaction_id = a.transaction_id
            JOIN temp.entitlement e ON e.original_transaction_key = t.original_transaction_key
            WHERE a.is_theirs = 0 AND a.is_in_evidence = 1 AND e.has_access = 1 AND e.product_id = :product
              AND e.environment = :environment
            UNION ALL
            SELECT 'already_entitled', e.purchase_at, e.transaction_id, e.access_ends_at, e.will_renew
            FROM temp.customer_original_transaction c
            JOIN temp.entitlement e ON e.as_of = c.as_of AND e.known_at = c.known_at AND e.original_transaction_key = c.original_transaction_key
            WHERE c.customer = :customer AND e.has_access = 1 AND e.product_id = :product
              AND e.environment = :environment
            UNION ALL
            SELECT 'already_entitled', o.purchase_at, o.transaction_id, o.access_ends_at, NULL
            FROM temp.customer_original_transaction c
            JOIN temp.one_time_purchase o ON o.as_of = c.as_of AND o.known_at = c.known_at AND o.original_transaction_key = c.original_transaction_key
            WHERE c.customer = :customer AND o.has_access = 1 AND o.product_id = :product
              AND o.environment = :environment
          )
          WHERE until IS NULL OR until > :now
          ORDER BY until IS NOT NULL, until DESC
          """, arguments: StatementArguments(arguments))
      return PurchaseClearance(
        obstacles: rows.map { row in
          PurchaseClearance.Obstacle(
            reason: row["reason"], since: row.instant("since"), until: row.instant("until"),
            transactionID: row["transaction_id"], willRenew: row["will_renew"])
        })
    }
  }
}
