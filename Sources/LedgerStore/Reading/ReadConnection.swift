package import GRDB
internal import LedgerSchema
internal import Synchronization

/// A read-only connection with the temporary parameter tables of queries. It is opened when it is first needed.
package final class ReadConnection: Sendable {
  /// The subscriptions that the connection's queries are about, and the source of the answers.
  package enum Scope: Hashable, Sendable {
    /// All subscriptions of the ledger, from the stored answers.
    case all
    /// The given subscriptions and payment queues, from the stored answers.
    case some
    /// All subscriptions. The answers are derived where no stored one is right.
    case allDerived(DerivedAnswers.Basis)
    /// The given subscriptions and payment queues. Every answer is derived.
    case derived(DerivedAnswers.Basis)
  }

  private let path: String
  private let scope: Scope
  private let state = Mutex<(queue: DatabaseQueue?, temporaryViews: Set<String>)>((nil, []))

  package init(path: String, scope: Scope) { (self.path, self.scope) = (path, scope) }

  /// Returns the connection, and opens the file at the first call.
  package func queue() throws -> DatabaseQueue {
    try state.withLock { state in
      if let queue = state.queue { return queue }
      let queue = try LedgerFile.openForReading(path: path)
      state.temporaryViews = try queue.writeWithoutTransaction { try Self.prepare($0, scope) }
      state.queue = queue
      return queue
    }
  }

  /// Creates temporary views over the file's views, for statements that name them as `temp.…`.
  package func createTemporaryViews(_ views: [String], on database: Database) throws {
    try state.withLock { state in
      switch scope {
      case .all, .some: break
      case .allDerived, .derived:
        try Self.createTemporaryMetricViews(views, on: database, temporaryViews: &state.temporaryViews)
      }
      try Schema.createTemporaryViews(views, on: database, temporaryViews: &state.temporaryViews)
    }
  }

  /// A query for derived metric deltas, in the form of the view `metric_delta`.
  package static let derivedMetricDelta = "SELECT * FROM temp.metric_delta_derived"

  private static func readsMetrics(_ views: [String]) -> Bool { Schema.closure(of: views).contains("metric_delta") }

  /// Puts derived metric deltas in the place of the stored ones, if the views read them.
  static func createTemporaryMetricViews(_ views: [String], on database: Database, temporaryViews: inout Set<String>)
    throws
  {
    guard !temporaryViews.contains("metric_delta"), readsMetrics(views) else { return }
    try Schema.createTemporaryViews(["metric_delta_derived"], on: database, temporaryViews: &temporaryViews)
    try database.execute(sql: "CREATE TEMP VIEW metric_delta AS \(derivedMetricDelta)")
    temporaryViews.insert("metric_delta")
  }

  package func close() { try? state.withLock { $0.queue }?.close() }

  /// SQL that creates the temporary table of queries.
  static let queryTable = """
    CREATE TEMP TABLE param_query (
      as_of INTEGER NOT NULL, known_at INTEGER NOT NULL, minimum_trust INTEGER NOT NULL,
      PRIMARY KEY (as_of, known_at)
    ) WITHOUT ROWID;
    """

  /// SQL that creates the temporary table of the given subscriptions.
  private static let subscriptionTable =
    "CREATE TEMP TABLE param_subscription (original_transaction_key INTEGER PRIMARY KEY);"

  /// SQL that lets SQLite expect one query about few subscriptions. Without it, SQLite expects a million, and would
  /// rather pass over a table of the file.
  private static let expectations = """
    ANALYZE temp.param_query;
    INSERT INTO temp.sqlite_stat1 VALUES ('param_query', 'param_query', '1 1 1'), ('param_subscription', NULL, '100');
    ANALYZE temp.sqlite_schema;
    """

  /// Runs a closure that reads, as one transaction.
  /// - Parameters:
  ///   - views: the views that its statements name as `temp.…`.
  ///   - body: the closure that reads.
  /// - Throws: ``LedgerError``, and the errors of `body`.
  package func read<Value>(_ views: [String], _ body: (Database) throws -> Value) throws -> Value {
    try LedgerError.wrapping(path, isWriting: false) {
      try queue().writeWithoutTransaction { database in
        // The views are created before the transaction, because it may be rolled back.
        try createTemporaryViews(views, on: database)
        var result: Value?
        try database.inTransaction(.deferred) {
          // An earlier query must not choose the evidence of this one.
          try database.cachedStatement(sql: "DELETE FROM temp.param_query").execute()
          result = try body(database)
          return .commit
        }
        guard let result else { throw LedgerError(.cannotRead, "\(path) could not be read.") }
        return result
      }
    }
  }

  /// Runs a closure on the connection, outside of a transaction.
  func withConnection<Value>(_ views: [String], _ body: (Database) throws -> Value) throws -> Value {
    try queue().writeWithoutTransaction { database in
      try createTemporaryViews(views, on: database)
      return try body(database)
    }
  }

  /// Derives the answers of a query, on a connection whose answers are derived. Call it after the query's
  /// parameters are written.
  /// - Parameter views: the views to be read.
  func derive(_ views: [String], on database: Database) throws {
    let views = Self.readsMetrics(views) ? views + ["metric_delta_derived"] : views
    switch scope {
    case .all, .some: break
    case .allDerived(let basis): try DerivedAnswers(existing: basis, for: views, on: database).deriveForAll()
    case .derived(let basis): try DerivedAnswers(existing: basis, for: views, on: database).derive()
    }
  }

  /// Creates the temporary relations of a scope.
  /// - Returns: their names.
  package static func prepare(_ database: Database, _ scope: Scope) throws -> Set<String> {
    try database.execute(sql: queryTable)
    if scope == .all { return ["param_query"] }
    var temporaryViews = try prepareAnswers(database, scope)
    if case .allDerived = scope { return temporaryViews }
    try database.execute(
      sql: """
        CREATE TEMP TABLE param_queue_scope (
          as_of INTEGER NOT NULL, known_at INTEGER NOT NULL, queue TEXT NOT NULL, PRIMARY KEY (as_of, known_at, queue)
        ) WITHOUT ROWID;
        CREATE TEMP TABLE param_clearance (patience INTEGER NOT NULL);
        """)
    temporaryViews.formUnion(["param_queue_scope", "param_clearance"])
    return temporaryViews
  }

  /// Creates the temporary table of subscriptions, and the relations of derived answers.
  /// - Returns: the names of all temporary relations, with that of the table of queries.
  static func prepareAnswers(_ database: Database, _ scope: Scope) throws -> Set<String> {
    try database.execute(sql: subscriptionTable)
    try database.execute(sql: expectations)
    var temporaryViews: Set = ["param_query", "param_subscription"]
    switch scope {
    case .all, .some: break
    case .derived(let basis): _ = try DerivedAnswers(basis, on: database, temporaryViews: &temporaryViews)
    case .allDerived(let basis):
      try database.execute(sql: DerivedAnswers.derivedTable)
      _ = try DerivedAnswers(basis, on: database, temporaryViews: &temporaryViews)
      try Schema.createTemporaryViews([DerivedAnswers.check], on: database, temporaryViews: &temporaryViews)
    }
    return temporaryViews
  }
}
