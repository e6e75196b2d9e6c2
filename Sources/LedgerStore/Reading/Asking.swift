package import GRDB
internal import LedgerSchema

/// Writes questions to a connection, as rows of temporary tables that the views read as their parameters.
extension LedgerReader {
  /// Asks a question about all subscriptions.
  package func askAboutAll(_ database: Database, _ question: Question) throws {
    try database.cachedStatement(sql: "DELETE FROM temp.param_query").execute()
    try question.ask(database)
  }

  /// Asks questions about the given subscriptions. Each `line` is the key of an original transaction.
  package func ask(_ database: Database, _ questions: [(line: Int64, question: Question)]) throws {
    try database.cachedStatement(sql: "DELETE FROM temp.param_scope").execute()
    try database.cachedStatement(sql: "DELETE FROM temp.param_query").execute()
    let insert = try database.cachedStatement(sql: "INSERT OR IGNORE INTO temp.param_scope VALUES (?, ?, ?)")
    for (key, question) in questions {
      try insert.execute(arguments: [question.asOf.milliseconds, question.knownAt.milliseconds, key])
      try question.ask(database)
    }
  }
}

extension Question {
  /// Writes the question to a connection that has the temporary parameter tables: one that is not about given
  /// subscriptions, or not about these alone.
  package func ask(_ database: Database) throws {
    try database.cachedStatement(sql: "INSERT OR IGNORE INTO temp.param_query VALUES (?, ?, ?)")
      .execute(arguments: [asOf.milliseconds, knownAt.milliseconds, leastTrust.rawValue])
  }
}
