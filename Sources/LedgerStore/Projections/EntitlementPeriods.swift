package import GRDB
internal import LedgerSchema

/// The stored answers: the table `entitlement_period`.
package enum EntitlementPeriods {
  /// Columns of the table that the view `state_history` has too, in order. No other is in the table.
  package static let columns = """
    original_transaction_key, begins_at, ends_at, product_id, state, has_access, access_ends_at, confirmed, will_renew,
    next_product_id, expiration_reason, rule, purchase_at, expires_at, revoked_at, grace_period_expires_at,
    transaction_key, version_id, renewal_info_version_id
    """

  /// Creates the temporary tables of the derivation on a connection that writes projections.
  package static func prepare(_ database: Database, overlaid: inout Set<String>) throws {
    _ = try DerivedTables(DerivedTables.stateHistory, on: database, overlaid: &overlaid)
  }

  /// The greatest number of subscriptions whose periods are derived by the transaction that records evidence about
  /// them. An import touches many again and again, so it derives them once, at its end.
  package static let atOnce = 100

  /// Brings the periods of subscriptions up to date, or leaves them for later when there are many. A transaction with
  /// few of them also derives some that wait, so that an interrupted import is completed by what comes after it.
  /// - Parameter subscriptions: the keys of the original transactions that the transaction is about.
  static func settle(_ transaction: ProjectionTransaction, _ subscriptions: Set<Int64>) throws {
    if subscriptions.count <= atOnce {
      try write(transaction, of: Array(subscriptions))
      try writeWaiting(transaction, limit: atOnce - subscriptions.count)
    } else {
      let wait = try transaction.step("INSERT OR IGNORE INTO main.entitlement_period_gap VALUES (?)")
      let delete = try transaction.step("DELETE FROM main.entitlement_period WHERE original_transaction_key = ?")
      for subscription in subscriptions {
        try wait.bind(subscription).run()
        try delete.bind(subscription).run()
      }
    }
  }

  /// Derives periods that wait.
  /// - Parameter limit: the greatest number of subscriptions.
  /// - Returns: whether there were so many.
  @discardableResult
  package static func writeWaiting(_ transaction: ProjectionTransaction, limit: Int) throws -> Bool {
    let keys = try Int64.fetchAll(
      transaction.query("SELECT original_transaction_key FROM main.entitlement_period_gap ORDER BY 1 LIMIT ?"),
      arguments: [limit])
    try write(transaction, of: keys)
    return keys.count == limit
  }

  /// Derives the periods of subscriptions again, and replaces the stored ones.
  /// - Parameter subscriptions: the keys of the original transactions.
  private static func write(_ transaction: ProjectionTransaction, of subscriptions: [Int64]) throws {
    let tables = transaction.tables(DerivedTables.stateHistory)
    for slice in SubscriptionSlice.slices(of: subscriptions.sorted()) {
      try slice.ask(transaction)
      try tables.derive()
      for table in ["entitlement_period", "entitlement_period_gap"] {
        try transaction.execute(
          """
          DELETE FROM main.\(table)
          WHERE original_transaction_key IN (SELECT original_transaction_key FROM temp.param_scope)
          """)
      }
      try transaction.execute(
        "INSERT INTO main.entitlement_period (\(columns)) SELECT \(columns) FROM temp.state_history")
    }
  }
}
