internal import GRDB
internal import Synchronization

/// A connection that asks, opened when it is first needed, with the relations that questions are put into.
final class AskingConnection: Sendable {
  /// What its questions are about.
  enum Scope {
    /// Every line.
    case all
    /// Named lines and payment queues, by all texts of the views.
    case lines
    /// Named lines whose kept rows answer: by the shorter texts.
    case settledLines
  }

  private let path: String
  private let scope: Scope
  private let state = Mutex<(queue: DatabaseQueue?, laid: Set<String>)>((nil, []))

  init(path: String, scope: Scope) { (self.path, self.scope) = (path, scope) }

  /// Opens the file, where that was not done yet.
  func queue() throws -> DatabaseQueue {
    try state.withLock { state in
      if let queue = state.queue { return queue }
      let queue = try Ledger.openedForAsking(path: path)
      state.laid = try queue.writeWithoutTransaction { try Self.prepare($0, scope) }
      state.queue = queue
      return queue
    }
  }

  /// Lays views over the file's, for the statements that name them as `temp.…`.
  func lay(_ views: [String], on database: Database) throws {
    try state.withLock { try Schema.lay(views, on: database, laid: &$0.laid) }
  }

  func close() { try? state.withLock { $0.queue }?.close() }

  /// The table of questions, as SQL.
  static let queryTable = """
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

  /// The table of named lines, as SQL. Of few lines, the projections may answer for none.
  static let scopeTable =
    subscriptionTable("param_scope") + "\nCREATE TEMP VIEW int_scope_candidate AS SELECT * FROM param_scope;"

  /// What the projections may not answer of all lines, as SQL, kept with each question. The file's own view expects few
  /// rows, as there are for now. About a past instant there may be all subscriptions: the table gives them in the order of
  /// their keys, in which they lie in the file. In the order of the index that finds them, each would need pages of its own.
  static let candidateTable = """
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

  /// Makes the relations of a scope.
  /// - Returns: their names.
  static func prepare(_ database: Database, _ scope: Scope) throws -> Set<String> {
    try database.execute(sql: queryTable)
    if scope == .all {
      var laid: Set = ["param_query"]
      try Schema.lay(["int_scope_unsettled"], on: database, laid: &laid)
      try database.execute(sql: candidateTable)
      return laid.union(["int_scope_candidate"])
    }
    try database.execute(
      sql: """
        \(scopeTable)
        CREATE TEMP TABLE param_queue_scope (
          as_of INTEGER NOT NULL, known_at INTEGER NOT NULL, queue TEXT NOT NULL, PRIMARY KEY (as_of, known_at, queue)
        ) WITHOUT ROWID;
        CREATE TEMP TABLE param_clearance (patience INTEGER NOT NULL);
        """)
    var laid: Set = ["param_query", "param_scope", "param_queue_scope", "param_clearance", "int_scope_candidate"]
    if scope == .lines { return laid }
    for (view, kept) in [
      ("rule_input", "rule_input_projected"), ("int_current_transaction_version", "stg_projected_transaction_version"),
    ] {
      try Schema.lay([kept], on: database, laid: &laid)
      try database.execute(sql: "CREATE TEMP VIEW \(view) AS SELECT * FROM \(kept)")
      laid.insert(view)
    }
    return laid
  }
}

extension Ledger {
  /// Runs something that reads, as one transaction, and tells SQLite's failures in our words.
  /// - Parameter views: those that the statements name as `temp.…`.
  func reading<Value>(
    _ connection: AskingConnection, _ views: String..., body: (Database) throws -> Value
  ) throws -> Value {
    try reading(connection, views, body)
  }

  /// Reads about named lines: by the shorter texts, where the kept rows of all of them answer.
  /// - Parameter ask: puts the questions to the connection, and gives what it learned for that.
  func readingLines<Context, Value>(
    _ views: String..., asking ask: (Database) throws -> Context, body: (Database, Context) throws -> Value
  ) throws -> Value {
    let settled: Value? = try reading(settledLineQueue, views + ["int_scope_derived"]) { database in
      let context = try ask(database)
      if try database.has("SELECT 1 FROM temp.int_scope_derived", []) { return nil }
      return try body(database, context)
    }
    if let settled { return settled }
    return try reading(lineQueue, views) { database in
      let context = try ask(database)
      return try body(database, context)
    }
  }

  /// The same about one line.
  func reading<Value>(
    _ view: String, about line: LineMatch, _ question: Question, body: (Database) throws -> Value
  ) throws -> Value {
    try readingLines(view, asking: { try ask($0, [(line.lineID, question)]) }) { database, _ in try body(database) }
  }

  /// The same, for views that a list names.
  func reading<Value>(
    _ connection: AskingConnection, _ views: [String], _ body: (Database) throws -> Value
  ) throws -> Value {
    do {
      return try connection.queue().writeWithoutTransaction { database in
        // Before the transaction, which may be rolled back.
        try connection.lay(views, on: database)
        var result: Value?
        try database.inTransaction(.deferred) {
          // What was asked before is over: its choice of evidence must not choose for who asks nothing.
          try database.cachedStatement(sql: "DELETE FROM temp.param_query").execute()
          result = try body(database)
          return .commit
        }
        guard let result else { throw LedgerError(.cannotRead, "\(path) gave no answer.", "") }
        return result
      }
    } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: false)
    }
  }
}
