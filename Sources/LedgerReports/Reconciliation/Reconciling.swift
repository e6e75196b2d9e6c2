internal import AppStore
internal import Foundation
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
    try LedgerError.wrapping(path, isWriting: false) {
      let queue = try LedgerFile.openForReading(path: path)
      defer { try? queue.close() }
      return try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536")
        var temporaryViews = try ReconciliationItems.prepare(database, request)
        try database.execute(sql: ReconciliationItems.table)
        temporaryViews.insert("reconciliation_item")
        try ReconciliationItems.createView(database, &temporaryViews)
        try Schema.createTemporaryViews(
          ["reconciliation", "stg_apple_report"], on: database, temporaryViews: &temporaryViews)
        var result: Reconciliation?
        try database.inTransaction(.deferred) {
          let items = ReconciliationItems(path: path, request: request)
          try items.gather(into: database, progress: progress)
          result = try ReconciliationQuery(database, request).run()
          return .rollback
        }
        guard let result else { throw LedgerError(.cannotRead, "\(path) could not be read.") }
        return result
      }
    }
  }

  /// Returns the ledger's purchases and refunds of some days in Apple's terms, by instant. Those that Apple should not
  /// report are among them.
  /// - Parameters:
  ///   - request: the days, and what is compared.
  ///   - isIncluded: whether to return an item.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func reconciliationItems(
    _ request: ReconciliationRequest, where isIncluded: (ReconciliationItem) -> Bool
  ) throws -> [ReconciliationItem] {
    try LedgerError.wrapping(path, isWriting: false) {
      let queue = try LedgerFile.openForReading(path: path)
      defer { try? queue.close() }
      return try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536")
        var temporaryViews = try ReconciliationItems.prepare(database, request)
        try ReconciliationItems.createView(database, &temporaryViews)
        var items: [ReconciliationItem] = []
        try database.inTransaction(.deferred) {
          for slice in SubscriptionSlice.slices(of: try ReconciliationItems.keys(database)) {
            try slice.write(to: database, request.parameters)
            let rows = try Row.fetchCursor(
              database.cachedStatement(sql: "SELECT * FROM temp.\(ReconciliationItems.view)"))
            while let row = try rows.next() {
              if let item = ReconciliationItem(row), isIncluded(item) { items.append(item) }
            }
          }
          return .rollback
        }
        return items.sorted { ($0.occurredAt, $0.transactionID) < ($1.occurredAt, $1.transactionID) }
      }
    }
  }
}

extension ReconciliationItem {
  fileprivate init?(_ row: Row) {
    guard let agreement = Agreement(rawValue: row["agreement"]) else { return nil }
    self.init(
      agreement: agreement, day: Instant(milliseconds: row["day_at"]),
      occurredAt: Instant(milliseconds: row["occurred_at"]), originalTransactionID: row["original_transaction_id"],
      transactionID: row["transaction_id"], environment: row["environment"], productID: row["product_id"],
      country: row["country"], currency: row["currency"],
      price: (row["price_milliunits"] as Int64?).map { Milliunits($0) }, excludedBy: row["excluded_by"],
      isSigned: row["is_signed"])
  }
}

/// Reads the ledger's side of a reconciliation, on all cores.
private struct ReconciliationItems {
  let path: String
  let request: ReconciliationRequest

  private static let columns =
    "known_at, agreement, day_at, utc_day_at, product_id, country, currency, price_milliunits, is_counted, excluded_by, "
    + "is_signed"

  /// The sums of items of a slice: what ``int_reconciliation_key`` reads of the view `reconciliation_item`.
  static let table = """
    CREATE TEMP TABLE reconciliation_item (
      known_at INTEGER, agreement TEXT, day_at INTEGER, utc_day_at INTEGER, product_id TEXT, country TEXT,
      currency TEXT, price_milliunits INTEGER, is_counted INTEGER, excluded_by TEXT, is_signed INTEGER, units INTEGER,
      amount_milliunits INTEGER
    );
    """

  /// The name of the view that derives the items. ``table`` has its own name.
  static let view = "reconciliation_item_derived"

  private static let sums = """
    SELECT \(columns), SUM(units), SUM(amount_milliunits) FROM temp.\(view)
    GROUP BY \(columns)
    """

  /// Creates the parameters of a request on a connection.
  /// - Returns: the names of the temporary relations.
  static func prepare(_ database: Database, _ request: ReconciliationRequest) throws -> Set<String> {
    var temporaryViews = try ReadConnection.prepare(database, .some)
    try database.execute(
      sql: """
        CREATE TEMP TABLE param_reconciliation (
          first_day_at INTEGER NOT NULL, last_day_at INTEGER NOT NULL, bundle_id TEXT
        );
        """)
    try database.execute(
      sql: "INSERT INTO temp.param_reconciliation VALUES (?, ?, ?)",
      arguments: [request.firstDay.milliseconds, request.lastDay.milliseconds, request.bundleID])
    temporaryViews.insert("param_reconciliation")
    try request.parameters.write(to: database)
    return temporaryViews
  }

  static func createView(_ database: Database, _ temporaryViews: inout Set<String>) throws {
    try Schema.createTemporaryView("reconciliation_item", as: view, on: database, temporaryViews: &temporaryViews)
  }

  static func keys(_ database: Database) throws -> [OriginalTransactionKey] {
    try OriginalTransactionKey.fetchAll(
      database, sql: "SELECT original_transaction_key FROM main.original_transaction ORDER BY original_transaction_key")
  }

  /// Fills the temporary table with the sums of all slices.
  func gather(into database: Database, progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void) throws {
    let keys = try Self.keys(database)
    let slices = SubscriptionSlice.slices(of: keys)
    let done: @Sendable (Int) -> Void = { progress(min($0 * SubscriptionSlice.width, keys.count), keys.count) }
    let threads = min(slices.count, ProcessInfo.processInfo.activeProcessorCount)
    if threads > 1, let queues = try SnapshotConnection.open(threads, path, besides: database) {
      defer { SnapshotConnection.close(queues) }
      try insert(rows(slices, queues, done), into: database)
    } else {
      // There are few purchases, or another program records now. Other connections would then see another state.
      for (index, slice) in slices.enumerated() {
        try insert(rows(slice, database), into: database)
        done(index + 1)
      }
    }
  }

  private func rows(_ slice: SubscriptionSlice, _ database: Database) throws -> [[DatabaseValue]] {
    try slice.write(to: database, request.parameters)
    return try Row.fetchAll(database.cachedStatement(sql: Self.sums)).map { Array($0.databaseValues) }
  }

  private func rows(
    _ slices: [SubscriptionSlice], _ queues: [DatabaseQueue], _ done: @escaping @Sendable (Int) -> Void
  ) throws -> [[DatabaseValue]] {
    try Slices.run(slices, threads: queues.count, done: done) { thread, take in
      try queues[thread].unsafeRead { database in
        var temporaryViews = try Self.prepare(database, request)
        try Self.createView(database, &temporaryViews)
        while try take({ try rows($0, database) }) {}
      }
    }.flatMap(\.self)
  }

  private func insert(_ rows: [[DatabaseValue]], into database: Database) throws {
    let marks = Array(repeating: "?", count: 13).joined(separator: ", ")
    let insertion = try database.cachedStatement(sql: "INSERT INTO temp.reconciliation_item VALUES (\(marks))")
    for row in rows { try insertion.execute(arguments: StatementArguments(row)) }
  }
}

/// Reads the comparison from the views.
private struct ReconciliationQuery {
  private let database: Database
  private let request: ReconciliationRequest

  init(_ database: Database, _ request: ReconciliationRequest) { (self.database, self.request) = (database, request) }

  func run() throws -> Reconciliation {
    let types = try String.fetchSet(
      database, sql: "SELECT DISTINCT type FROM temp.stg_apple_report WHERE first_day_at = last_day_at")
    let (present, absent) = (
      request.agreements.filter { types.contains($0.report.rawValue) },
      request.agreements.filter { !types.contains($0.report.rawValue) }
    )
    return Reconciliation(request: request, rows: try present.flatMap(rows), withoutReports: absent)
  }

  private func rows(_ agreement: Agreement) throws -> [ReconciliationRow] {
    let groups = request.group?.columns ?? []
    let classes = DifferenceClass.allCases.map { one in
      let name = one.rawValue
      let (surplus, deficit) = (
        "SUM(CASE WHEN \(name) > 0 THEN \(name) ELSE 0 END)", "SUM(CASE WHEN \(name) < 0 THEN -\(name) ELSE 0 END)"
      )
      if one == .day { return "SUM(day_units) AS \(name)" }
      return one == .price ? "MAX(\(surplus), \(deficit)) AS \(name)" : "\(surplus) + \(deficit) AS \(name)"
    }
    let by =
      groups.isEmpty ? "" : "GROUP BY \(groups.joined(separator: ", ")) ORDER BY \(groups.joined(separator: ", "))"
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT
          \((groups + classes).joined(separator: ", ")), COALESCE(SUM(apple_units), 0) AS apple_units,
          COALESCE(SUM(ledger_units), 0) AS ledger_units,
          COALESCE(SUM(CASE WHEN apple_units < ledger_units THEN apple_units ELSE ledger_units END), 0) AS agreed_units
        FROM temp.reconciliation WHERE agreement = ? \(by)
        """, arguments: [agreement.rawValue])
    return rows.map { row in
      var differences: [DifferenceClass: Int64] = [:]
      for one in DifferenceClass.allCases { differences[one] = row[one.rawValue] as Int64? ?? 0 }
      return ReconciliationRow(
        agreement: agreement, productID: row["product_id"], country: row["country"], currency: row["currency"],
        price: (row["price_milliunits"] as Int64?).map { Milliunits($0) },
        day: (row["day_at"] as Int64?).map { Instant(milliseconds: $0) }, apple: row["apple_units"],
        ledger: row["ledger_units"], agreed: row["agreed_units"], differences: differences)
    }
  }
}
