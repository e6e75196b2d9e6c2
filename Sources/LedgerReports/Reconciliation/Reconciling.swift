internal import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

extension LedgerReader {
  /// Compares the figures of imported reports with the ledger's, and explains the differences.
  /// - Parameters:
  ///   - request: the days, and what is compared.
  ///   - progress: called while the ledger's purchases are read, with how many original transactions are done, and of
  ///     how many.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func reconcile(
    _ request: ReconciliationRequest, progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
  ) throws -> Reconciliation {
    try readReconciliation(request) { items, database in
      var temporaryViews: Set<String> = []
      let reader = try items.prepare(database, temporaryViews: &temporaryViews)
      var result: Reconciliation?
      try database.inTransaction(.deferred) {
        try items.deriveApple(database, temporaryViews: &temporaryViews)
        try items.gather(into: database, reader, progress: progress)
        try Schema.createTemporaryViews(["reconciliation"], on: database, temporaryViews: &temporaryViews)
        result = try ReconciliationQuery(database, request).run()
        return .rollback
      }
      guard let result else { throw LedgerError(.cannotRead, "\(path) could not be read.") }
      return result
    }
  }

  /// Returns the ledger's purchases, refunds, states and events of some days in Apple's terms, by day. Those that Apple
  /// should not report are among them.
  /// - Parameters:
  ///   - request: the days, and what is compared.
  ///   - isIncluded: whether to return an item.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func reconciliationItems(
    _ request: ReconciliationRequest, where isIncluded: (ReconciliationItem) -> Bool
  ) throws -> [ReconciliationItem] {
    try readReconciliation(request) { try $0.all($1, where: isIncluded) }
  }

  func readReconciliation<Value>(
    _ request: ReconciliationRequest, _ body: (ReconciliationItems, Database) throws -> Value
  ) throws -> Value {
    try LedgerError.wrapping(path, isWriting: false) {
      let queue = try LedgerFile.openForReading(path: path)
      defer { try? queue.close() }
      return try queue.writeWithoutTransaction { database in
        // Derived rows are as many as the figures of all reports. What memory does not hold is in a temporary file.
        try database.execute(
          sql: "PRAGMA temp_store = FILE; PRAGMA temp.cache_size = -65536; PRAGMA cache_size = -32768")
        return try body(try ReconciliationItems(path: path, request: request, database), database)
      }
    }
  }
}

/// Reads the comparison from the views.
private struct ReconciliationQuery {
  private let database: Database
  private let request: ReconciliationRequest

  init(_ database: Database, _ request: ReconciliationRequest) { (self.database, self.request) = (database, request) }

  func run() throws -> Reconciliation {
    // Weekly and monthly reports are not compared.
    let types = try String.fetchSet(
      database,
      sql: """
        SELECT DISTINCT type FROM temp.stg_apple_report
        WHERE first_day_at = last_day_at OR type IN ('financial', 'finance_detail', 'analytics_state', 'analytics_event')
        """)
    let absent = request.agreements.filter { $0.reports.allSatisfy { !types.contains($0.rawValue) } }
    let groups = ["agreement", "measure"] + (request.group?.columns ?? [])
    let classes = DifferenceClass.allCases.map { one in
      let name = one.rawValue
      let (surplus, deficit) = (
        "SUM(CASE WHEN \(name) > 0 THEN \(name) ELSE 0 END)", "SUM(CASE WHEN \(name) < 0 THEN -\(name) ELSE 0 END)"
      )
      if one == .day { return "SUM(day_units) AS \(name)_sum" }
      return [.settlement, .definition, .price].contains(one)
        ? "MAX(\(surplus), \(deficit)) AS \(name)_sum" : "\(surplus) + \(deficit) AS \(name)_sum"
    }
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT
          \((groups + classes).joined(separator: ", ")), SUM(apple_units) AS apple_units,
          SUM(ledger_units) AS ledger_units,
          SUM(CASE WHEN apple_units < ledger_units THEN apple_units ELSE ledger_units END) AS agreed_units
        FROM temp.reconciliation GROUP BY \(groups.joined(separator: ", ")) ORDER BY \(groups.joined(separator: ", "))
        """)
    let all = rows.compactMap { row -> ReconciliationRow? in
      guard let agreement = Agreement(rawValue: row["agreement"]), request.agreements.contains(agreement) else {
        return nil
      }
      var differences: [DifferenceClass: Int64] = [:]
      for one in DifferenceClass.allCases { differences[one] = row["\(one.rawValue)_sum"] as Int64? ?? 0 }
      return ReconciliationRow(
        agreement: agreement, measure: row["measure"], productID: row["product_id"], country: row["country"],
        currency: row["currency"], price: (row["price_milliunits"] as Int64?).map { Milliunits($0) },
        day: (row["day_at"] as Int64?).map { Instant(milliseconds: $0) }, apple: row["apple_units"],
        ledger: row["ledger_units"], agreed: row["agreed_units"], differences: differences)
    }
    let ordered = Agreement.allCases.flatMap { agreement in all.filter { $0.agreement == agreement } }
    return Reconciliation(request: request, rows: ordered, withoutReports: absent)
  }
}
