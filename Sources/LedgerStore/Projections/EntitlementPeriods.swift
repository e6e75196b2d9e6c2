internal import GRDB
internal import LedgerSchema

/// The stored answers for present knowledge: the table `entitlement_period`.
package enum EntitlementPeriods {
  /// The name of the table.
  package static let table = "entitlement_period"

  /// The steps of the derivation, each after those that it reads. The last one has the rows of the table.
  static let steps = [
    "int_last_evidence", "int_deciding_period", "int_renewal_info_history", "int_renewal_info_tie",
    "int_change_instant", "int_entitlement_instant", "int_entitlement_period",
  ]

  /// The steps that have a temporary table where the rows of the last one are stored in the file.
  static let storedSteps = Array(steps.dropLast())

  /// The table, with the view that derives its rows.
  static let stored = DerivedAnswers.Stored(name: table, derived: "int_entitlement_period", parameters: ["known_at"])

  /// The step that finds the instants at which an answer can change.
  static let instants = "int_change_instant"

  /// SQL that selects of ``instants`` only the last one at or before `as_of`, for readers of one answer for each
  /// subscription. The other columns are the last values until then, as the rules read them.
  static let lastInstants = """
    SELECT d.known_at, d.original_transaction_key, MAX(d.as_of), MAX(d.decides_at), MAX(d.info_at)
    FROM temp.param_query q CROSS JOIN temp.\(DerivedTables.derivation(of: instants)) d
    WHERE d.known_at = q.known_at AND d.as_of <= q.as_of
    GROUP BY d.known_at, d.original_transaction_key
    """

  /// Returns whether some of these views read more of a subscription than the period that contains `as_of`.
  static func needWholeHistory(_ views: [String]) -> Bool {
    !Set(views).isDisjoint(with: steps + [table, "stg_\(table)"])
      || Schema.closure(of: views).contains("state_history")
  }

  /// The greatest number of subscriptions whose periods a transaction of an import derives. An import touches many
  /// again and again, so it derives them once, at its end.
  package static let atOnce = 100

  /// Brings the periods of subscriptions up to date. A transaction with few of them also derives some that wait, so
  /// that an interrupted import is completed by what comes after it.
  /// - Parameters:
  ///   - subscriptions: the keys of the original transactions that the transaction is about.
  ///   - defersMany: whether to leave them for later when there are many.
  package static func update(
    _ transaction: ProjectionTransaction, _ subscriptions: Set<OriginalTransactionKey>, deferringMany defersMany: Bool
  ) throws {
    // Another version of the program may have put its answers into the file. Then it derives these too.
    let isOurs = try transaction.hasCurrentAnswers()
    if isOurs, subscriptions.count <= atOnce || !defersMany {
      try write(transaction, of: Array(subscriptions))
      try fillGaps(transaction, limit: max(0, atOnce - subscriptions.count))
    } else {
      let wait = try transaction.statement(
        """
        INSERT INTO main.entitlement_period_gap (original_transaction_key, is_by_other_rules) VALUES (?, ?)
        ON CONFLICT (original_transaction_key) DO UPDATE SET is_by_other_rules = MAX(is_by_other_rules, ?2)
        """)
      let delete = try transaction.statement("DELETE FROM main.entitlement_period WHERE original_transaction_key = ?")
      for subscription in subscriptions {
        try wait.bind(subscription).bind(!isOurs).run()
        try delete.bind(subscription).run()
      }
    }
  }

  /// Derives periods that wait.
  /// - Parameter limit: the greatest number of subscriptions.
  /// - Returns: whether there were so many.
  @discardableResult
  package static func fillGaps(_ transaction: ProjectionTransaction, limit: Int) throws -> Bool {
    guard try transaction.hasCurrentAnswers() else { return false }
    let waiting = try Row.fetchAll(
      transaction.query(
        "SELECT original_transaction_key, is_by_other_rules FROM main.entitlement_period_gap ORDER BY 1 LIMIT ?"),
      arguments: [limit])
    let keys: [OriginalTransactionKey] = waiting.map { $0[0] }
    try ProjectionUpdater(transaction).deriveVersions(of: waiting.filter { $0[1] }.map { $0[0] })
    try write(transaction, of: keys)
    return keys.count == limit
  }

  /// Derives the periods of subscriptions again, and replaces the stored ones.
  /// - Parameter subscriptions: the keys of the original transactions.
  private static func write(_ transaction: ProjectionTransaction, of subscriptions: [OriginalTransactionKey]) throws {
    let tables = transaction.tables(storedSteps)
    for slice in SubscriptionSlice.slices(of: subscriptions.sorted()) {
      try slice.write(to: transaction)
      try tables.derive()
      try transaction.deleteRows(table)
      try transaction.deleteRows("entitlement_period_gap")
      try transaction.store(stored)
    }
  }
}
