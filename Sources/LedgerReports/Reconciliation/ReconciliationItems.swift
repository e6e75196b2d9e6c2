internal import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema
internal import LedgerStore

/// Reads the ledger's side of a reconciliation: items and states of some original transactions at a time, on all cores.
struct ReconciliationItems {
  /// A view of the ledger's side, and the sums of it that the comparison reads in its place.
  private struct Relation {
    let name: String
    /// The columns by which rows are summed, each with its type: first those by which rows differ most, because rows are
    /// sorted by them.
    let columns: [(name: String, type: String)]
    /// The columns that are summed.
    let sums: [String]
    /// The view with single rows, if it is another one.
    var rows: String?

    /// The name of the view that derives the rows. The table of sums has the view's own name.
    var view: String { name + "_derived" }
    private var names: String { columns.map(\.name).joined(separator: ", ") }
    /// The number of columns.
    var width: Int { columns.count + sums.count }

    var table: String {
      let all = columns.map { "\($0.name) \($0.type)" } + sums.map { "\($0) INTEGER" }
      return "CREATE TEMP TABLE \(name) (\(all.joined(separator: ", ")))"
    }

    var query: String {
      "SELECT \(names), \(sums.map { "SUM(\($0))" }.joined(separator: ", ")) FROM temp.\(view) GROUP BY \(names)"
    }

    var insertion: String {
      "INSERT INTO temp.\(name) VALUES (\(Array(repeating: "?", count: width).joined(separator: ", ")))"
    }
  }

  private static let items = Relation(
    name: "reconciliation_item",
    columns: [
      ("day_at", "INTEGER"), ("price_milliunits", "INTEGER"), ("country", "TEXT"), ("product_id", "TEXT"),
      ("utc_day_at", "INTEGER"), ("agreement", "TEXT"), ("currency", "TEXT"), ("is_counted", "INTEGER"),
      ("excluded_by", "TEXT"), ("is_signed", "INTEGER"), ("as_of", "INTEGER"), ("known_at", "INTEGER"),
    ], sums: ["units", "amount_milliunits"])

  private static let events = Relation(
    name: "reconciliation_event",
    columns: [
      ("day_at", "INTEGER"), ("country", "TEXT"), ("product_id", "TEXT"), ("kind", "TEXT"), ("utc_day_at", "INTEGER"),
      ("is_counted", "INTEGER"), ("excluded_by", "TEXT"), ("is_signed", "INTEGER"), ("as_of", "INTEGER"),
      ("known_at", "INTEGER"),
    ], sums: ["units"])

  private static let states = Relation(
    name: "int_reconciliation_state_change",
    columns: [
      ("day_at", "INTEGER"), ("country", "TEXT"), ("product_id", "TEXT"), ("state", "TEXT"),
      ("analytics_state", "TEXT"), ("as_of", "INTEGER"), ("known_at", "INTEGER"),
    ], sums: ["ledger_units", "utc_units", "environment_units", "later_units", "utc_later_units"],
    rows: "reconciliation_state")

  private let path: String
  private let request: ReconciliationRequest
  /// What the answers are derived from; `nil`: the stored ones are right.
  private let basis: DerivedAnswers.Basis?
  private let relations: [Relation]

  /// Creates the ledger's side of a request.
  /// - Parameters:
  ///   - path: the path of the ledger.
  ///   - request: the days, and what is compared.
  ///   - database: a connection to the file. Nothing but the file's own tables is read.
  init(path: String, request: ReconciliationRequest, _ database: Database) throws {
    (self.path, self.request) = (path, request)
    basis = try DerivedAnswers.needed(request.parameters, database)
    let agreements = Set(request.agreements)
    relations =
      (agreements.isDisjoint(with: [.payments, .refunds, .sales, .returns, .finance]) ? [] : [Self.items])
      + (agreements.isDisjoint(with: [.states, .analyticsStates]) ? [] : [Self.states])
      + (agreements.isDisjoint(with: [.events, .analyticsEvents]) ? [] : [Self.events])
  }

  /// What a connection needs to read the views.
  struct Reader {
    let answers: DerivedAnswers?
    let shared: DerivedTables
  }

  /// The views of Apple's side that the comparison reads several times, each after the views that it reads.
  private static let ofApple = [
    "stg_apple_report", "country_code", "apple_product", "apple_event", "int_analytics_day", "int_reconciliation_month",
    "int_reconciliation_report_day", "int_reconciliation_report", "int_reconciliation_other_product",
    "int_proceeds_rate",
    "int_reconciliation_apple",
  ]

  /// Creates the parameters of the request on a connection.
  func prepareParameters(_ database: Database, temporaryViews: inout Set<String>) throws {
    temporaryViews.formUnion(try ReadConnection.prepare(database, basis.map { .derived($0) } ?? .some))
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
  }

  /// Creates the parameters and views of the request on a connection.
  private func reader(_ database: Database, temporaryViews: inout Set<String>) throws -> Reader {
    try prepareParameters(database, temporaryViews: &temporaryViews)
    // The days and their clock are the same for all subscriptions.
    try DerivedTables(
      ["int_reconciliation_day", "int_reconciliation_clock"], on: database, temporaryViews: &temporaryViews
    ).derive()
    let answers = basis.map { DerivedAnswers(existing: $0, for: relations.map(\.name), on: database) }
    // Each follows the views that it reads itself.
    let shared = try DerivedTables(
      ["int_current_transaction_version", "transaction_current", "int_reversed_refund"], on: database,
      temporaryViews: &temporaryViews)
    for relation in relations {
      try Schema.createTemporaryView(
        relation.name, as: relation.view, on: database, temporaryViews: &temporaryViews)
    }
    return Reader(answers: answers, shared: shared)
  }

  private func derive(_ slice: SubscriptionSlice, _ reader: Reader, _ database: Database) throws {
    try slice.write(to: database, request.parameters)
    try reader.answers?.derive()
    try reader.shared.derive()
  }

  private static func slices(_ database: Database) throws -> [SubscriptionSlice] {
    SubscriptionSlice.slices(
      of: try OriginalTransactionKey.fetchAll(
        database,
        sql: "SELECT original_transaction_key FROM main.original_transaction ORDER BY original_transaction_key"))
  }

  // MARK: Sums

  /// Prepares a connection on which ``gather(into:_:progress:)`` puts sums in place of the views.
  func prepare(_ database: Database, temporaryViews: inout Set<String>) throws -> Reader {
    let reader = try reader(database, temporaryViews: &temporaryViews)
    for relation in [Self.items, Self.states, Self.events] {
      try database.execute(sql: relation.table)
      temporaryViews.insert(relation.name)
    }
    return reader
  }

  /// Stores Apple's side in temporary tables, as far as the request asks for it.
  func deriveApple(_ database: Database, temporaryViews: inout Set<String>) throws {
    let tables = try DerivedTables(Self.ofApple, on: database, temporaryViews: &temporaryViews)
    try request.parameters.write(to: database)
    let names = request.agreements.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    let wanted = ["int_reconciliation_report_day", "int_reconciliation_apple"].map { name in
      (name, "SELECT * FROM temp.\(DerivedTables.derivation(of: name)) WHERE agreement IN (\(names))")
    }
    var selections = Dictionary(uniqueKeysWithValues: wanted)
    if !request.agreements.contains(.proceeds) {
      let rates = "int_proceeds_rate"
      selections[rates] = "SELECT * FROM temp.\(DerivedTables.derivation(of: rates)) LIMIT 0"
    }
    try tables.derive(selecting: selections)
  }

  /// Fills the tables of sums.
  /// - Parameters:
  ///   - database: a prepared connection, in a transaction whose state of the file is read.
  ///   - reader: the connection's own views.
  ///   - progress: called after each slice, with how many original transactions are done, and of how many.
  func gather(
    into database: Database, _ reader: Reader, progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void
  ) throws {
    // Proceeds compare Apple's figures with the terms, and no purchases.
    let slices = relations.isEmpty ? [] : try Self.slices(database)
    let count = slices.count * SubscriptionSlice.width
    var done = 0
    let insertions = try relations.map { ($0, try BoundStatement(database, $0.insertion)) }
    func insert(_ sums: [[DatabaseValue]]) throws {
      for ((relation, insertion), values) in zip(insertions, sums) {
        for (number, value) in values.enumerated() {
          insertion.bind(value)
          if (number + 1) % relation.width == 0 { try insertion.run() }
        }
      }
      done += 1
      progress(min(done * SubscriptionSlice.width, count), count)
    }
    let threads = min(slices.count, ProcessInfo.processInfo.activeProcessorCount)
    if threads > 1, let queues = try SnapshotConnection.open(threads, path, besides: database) {
      defer { SnapshotConnection.close(queues) }
      try Slices.forEachResult(of: slices, threads: queues.count) { thread, take in
        try queues[thread].unsafeRead { database in
          var temporaryViews: Set<String> = []
          let reader = try self.reader(database, temporaryViews: &temporaryViews)
          let queries = try self.queries(database)
          while try take({ try self.sums($0, reader, queries, database) }) {}
        }
      } consume: {
        try insert($1)
      }
    } else {
      // There are few purchases, or another program records now. Other connections would then see another state.
      let queries = try queries(database)
      for slice in slices { try insert(sums(slice, reader, queries, database)) }
    }
    // The comparison reads the parameters, and no subscription.
    try request.parameters.write(to: database)
  }

  private func queries(_ database: Database) throws -> [BoundStatement] {
    try relations.map { try BoundStatement(database, $0.query) }
  }

  /// Returns the sums of a slice: for each relation the values of its rows, one after the other.
  private func sums(
    _ slice: SubscriptionSlice, _ reader: Reader, _ queries: [BoundStatement], _ database: Database
  ) throws -> [[DatabaseValue]] {
    try derive(slice, reader, database)
    return try zip(relations, queries).map { relation, query in
      var values: [DatabaseValue] = []
      try query.each { row in for column in 0..<CInt(relation.width) { values.append(row.value(column)) } }
      return values
    }
  }

  // MARK: Single items

  /// Returns the items of the request that a caller wants.
  func all(_ database: Database, where isIncluded: (ReconciliationItem) -> Bool) throws -> [ReconciliationItem] {
    var temporaryViews: Set<String> = []
    let reader = try reader(database, temporaryViews: &temporaryViews)
    var items: [ReconciliationItem] = []
    try database.inTransaction(.deferred) {
      for slice in try Self.slices(database) {
        try derive(slice, reader, database)
        for relation in relations {
          let rows = try Row.fetchCursor(
            database.cachedStatement(sql: "SELECT * FROM temp.\(relation.rows ?? relation.view)"))
          while let row = try rows.next() {
            if let item = item(row), isIncluded(item) { items.append(item) }
          }
        }
      }
      return .rollback
    }
    return items.sorted { ($0.day, $0.transactionID) < ($1.day, $1.transactionID) }
  }

  /// Returns what a row of a relation is compared for; `nil` if the request does not ask for it.
  private func agreement(_ row: Row) -> (Agreement, measure: String?)? {
    if let state = row["state"] as String? {
      return request.agreements == [.analyticsStates] ? (.analyticsStates, row["analytics_state"]) : (.states, state)
    }
    if let kind = row["kind"] as String? {
      return (request.agreements == [.analyticsEvents] ? .analyticsEvents : .events, kind)
    }
    let name: String? = row["agreement"]
    // A sale counts for Summary Sales and for a financial report.
    if request.agreements == [.finance], name == "sales" { return (.finance, "sales") }
    if name == "finance_returns" { return request.agreements == [.finance] ? (.finance, "returns") : nil }
    return name.flatMap(Agreement.init).map { ($0, nil) }
  }

  private func item(_ row: Row) -> ReconciliationItem? {
    guard let (agreement, measure) = agreement(row) else { return nil }
    let state: String? = row["state"]
    var day = Instant(milliseconds: row[state == nil ? "day_at" : "first_day_at"])
    if state != nil {
      // A state counts on several days. The first of them that was asked about stands for all.
      day = max(day, request.firstDay)
      if let end = row["end_day_at"] as Int64?, end <= day.milliseconds { return nil }
    }
    guard (request.firstDay...request.lastDay).contains(day) else { return nil }
    return ReconciliationItem(
      agreement: agreement, measure: measure, day: day,
      occurredAt: (row["occurred_at"] as Int64?).map { Instant(milliseconds: $0) },
      originalTransactionID: row["original_transaction_id"], transactionID: row["transaction_id"],
      environment: row["environment"], productID: row["product_id"], country: row["country"],
      currency: row["currency"], price: (row["price_milliunits"] as Int64?).map { Milliunits($0) },
      excludedBy: row["excluded_by"] ?? ((row["is_reversed"] as Int64?) == 1 ? "refund" : nil))
  }
}
