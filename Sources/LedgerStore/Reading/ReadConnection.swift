package import GRDB
internal import LedgerSchema
internal import Synchronization

/// A read-only connection with the temporary parameter tables of questions. It is opened when it is first needed.
package final class ReadConnection: Sendable {
  /// The subscriptions that the connection's questions are about, and the source of the answers.
  package enum Scope {
    /// All subscriptions of the ledger.
    case all
    /// The given subscriptions and payment queues, answered from their evidence.
    case subscriptions
    /// The given subscriptions, answered from the projections.
    case projectedSubscriptions
  }

  private let path: String
  private let scope: Scope
  private let state = Mutex<(queue: DatabaseQueue?, overlaid: Set<String>)>((nil, []))

  package init(path: String, scope: Scope) { (self.path, self.scope) = (path, scope) }

  /// Returns the connection, and opens the file at the first call.
  package func queue() throws -> DatabaseQueue {
    try state.withLock { state in
      if let queue = state.queue { return queue }
      let queue = try LedgerFile.openForReading(path: path)
      state.overlaid = try queue.writeWithoutTransaction { try Self.prepare($0, scope) }
      state.queue = queue
      return queue
    }
  }

  /// Creates temporary views over the file's views, for statements that name them as `temp.…`.
  package func overlay(_ views: [String], on database: Database) throws {
    try state.withLock { try Schema.overlay(views, on: database, overlaid: &$0.overlaid) }
  }

  package func close() { try? state.withLock { $0.queue }?.close() }

  /// SQL that creates the temporary table of questions.
  package static let queryTable = """
    CREATE TEMP TABLE param_query (
      as_of INTEGER NOT NULL, known_at INTEGER NOT NULL, least_trust INTEGER NOT NULL,
      PRIMARY KEY (as_of, known_at)
    ) WITHOUT ROWID;
    """

  private static func subscriptionTable(_ name: String) -> String {
    """
    CREATE TEMP TABLE \(name) (
      as_of INTEGER NOT NULL, known_at INTEGER NOT NULL, original_transaction_key INTEGER NOT NULL,
      PRIMARY KEY (as_of, known_at, original_transaction_key)
    ) WITHOUT ROWID;
    """
  }

  /// SQL that creates the temporary table of the given subscriptions. All of them are candidates for derivation from
  /// evidence, because they are few.
  package static let scopeTable =
    subscriptionTable("param_scope") + "\nCREATE TEMP VIEW int_scope_candidate AS SELECT * FROM param_scope;"

  /// SQL that stores, for each question about all subscriptions, those that the projections may not be able to answer.
  /// The file's own view expects few such rows, as there are for the present. For a past instant, there may be all
  /// subscriptions. The table returns them in the order of their keys, which is the order of the file's rows. In the
  /// order of the index that finds them, each would need pages of its own.
  package static let candidateTable = """
    \(subscriptionTable("int_scope_candidate"))
    CREATE TEMP TRIGGER param_query_begins AFTER INSERT ON param_query
    BEGIN
      INSERT INTO int_scope_candidate
      SELECT u.as_of, u.known_at, u.original_transaction_key FROM int_scope_unsettled u
      WHERE u.as_of = NEW.as_of AND u.known_at = NEW.known_at;
    END;
    CREATE TEMP TRIGGER param_query_ends AFTER DELETE ON param_query
    BEGIN
      DELETE FROM int_scope_candidate WHERE as_of = OLD.as_of AND known_at = OLD.known_at;
    END;
    """

  /// The views that a connection to projected subscriptions replaces, each with the view that reads projections.
  static let projectedViews = [
    "rule_input": "rule_input_projected", "int_current_transaction_version": "stg_projected_transaction_version",
  ]

  /// Returns whether some of these views read projections on a connection to projected subscriptions. Views that they
  /// read count too.
  static func readProjections(_ views: [String]) -> Bool {
    !Schema.closure(of: views).isDisjoint(with: projectedViews.keys)
  }

  /// Runs a closure that reads, as one transaction.
  /// - Parameters:
  ///   - views: the views that its statements name as `temp.…`.
  ///   - body: the closure that reads.
  /// - Throws: ``LedgerError``, and the errors of `body`.
  package func read<Value>(_ views: [String], _ body: (Database) throws -> Value) throws -> Value {
    try LedgerError.wrapping(path, isWriting: false) {
      try queue().writeWithoutTransaction { database in
        // The views are created before the transaction, because it may be rolled back.
        try overlay(views, on: database)
        var result: Value?
        try database.inTransaction(.deferred) {
          // An earlier question must not choose the evidence of this one.
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
      try overlay(views, on: database)
      return try body(database)
    }
  }

  /// Creates the temporary parameter tables of a scope.
  /// - Returns: their names, and those of the temporary views that replace others.
  package static func prepare(_ database: Database, _ scope: Scope) throws -> Set<String> {
    try database.execute(sql: queryTable)
    if scope == .all {
      var overlaid: Set = ["param_query"]
      try Schema.overlay(["int_scope_unsettled"], on: database, overlaid: &overlaid)
      try database.execute(sql: candidateTable)
      return overlaid.union(["int_scope_candidate"])
    }
    try database.execute(
      sql: """
        \(scopeTable)
        CREATE TEMP TABLE param_queue_scope (
          as_of INTEGER NOT NULL, known_at INTEGER NOT NULL, queue TEXT NOT NULL, PRIMARY KEY (as_of, known_at, queue)
        ) WITHOUT ROWID;
        CREATE TEMP TABLE param_clearance (patience INTEGER NOT NULL);
        """)
    var overlaid: Set = ["param_query", "param_scope", "param_queue_scope", "param_clearance", "int_scope_candidate"]
    if scope == .subscriptions { return overlaid }
    for (view, kept) in projectedViews.sorted(by: { $0.key < $1.key }) {
      try Schema.overlay([kept], on: database, overlaid: &overlaid)
      try database.execute(sql: "CREATE TEMP VIEW \(view) AS SELECT * FROM \(kept)")
      overlaid.insert(view)
    }
    return overlaid
  }
}
