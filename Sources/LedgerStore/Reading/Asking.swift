package import GRDB
internal import LedgerSchema

/// How questions are put to a connection: as rows of temporary tables that the views read as their parameters.
extension LedgerReader {
  /// Asks about all subscriptions.
  package func askAboutAll(_ database: Database, _ question: Question) throws {
    try database.cachedStatement(sql: "DELETE FROM temp.param_query").execute()
    try ask(database, question)
  }

  /// Asks about the given subscriptions, by their keys.
  package func ask(_ database: Database, _ questions: [(line: Int64, question: Question)]) throws {
    try database.cachedStatement(sql: "DELETE FROM temp.param_scope").execute()
    try database.cachedStatement(sql: "DELETE FROM temp.param_query").execute()
    let insert = try database.cachedStatement(sql: "INSERT OR IGNORE INTO temp.param_scope VALUES (?, ?, ?)")
    for (line, question) in questions {
      try insert.execute(arguments: [question.asOf.milliseconds, question.knownAt.milliseconds, line])
      try ask(database, question)
    }
  }

  /// Asks a question that is not about given subscriptions, or not about these alone.
  package func ask(_ database: Database, _ question: Question) throws { try question.ask(database) }
}

extension Question {
  /// Puts the question to a connection that has the relations of questions.
  package func ask(_ database: Database) throws {
    try database.cachedStatement(sql: "INSERT OR IGNORE INTO temp.param_query VALUES (?, ?, ?)")
      .execute(arguments: [asOf.milliseconds, knownAt.milliseconds, leastTrust.rawValue])
  }
}
