package import GRDB
internal import LedgerSchema

/// Writes questions to a connection, as rows of temporary tables that the views read as their parameters.
extension LedgerReader {
  /// Asks a question about the given subscriptions. Each `line` is the key of an original transaction. All have the same
  /// `known_at`.
  package func ask(_ database: Database, _ questions: [(line: Int64, question: Question)]) throws {
    try database.cachedStatement(sql: "DELETE FROM temp.param_subscription").execute()
    try database.cachedStatement(sql: "DELETE FROM temp.param_query").execute()
    let insert = try database.cachedStatement(sql: "INSERT OR IGNORE INTO temp.param_subscription VALUES (?)")
    for (key, question) in questions {
      try insert.execute(arguments: [key])
      try question.ask(database)
    }
  }
}

extension Question {
  /// Writes the question in place of an earlier one.
  func askAlone(_ database: Database) throws {
    try database.cachedStatement(sql: "DELETE FROM temp.param_query").execute()
    try ask(database)
  }

  /// Writes the question to a connection that has the temporary parameter tables: one that is not about given
  /// subscriptions, or not about these alone.
  package func ask(_ database: Database) throws {
    try database.cachedStatement(sql: "INSERT OR IGNORE INTO temp.param_query VALUES (?, ?, ?)")
      .execute(arguments: [asOf.milliseconds, knownAt.milliseconds, leastTrust.rawValue])
  }
}
