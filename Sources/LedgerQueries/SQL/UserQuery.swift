internal import GRDB
internal import LedgerSchema
public import LedgerStore

extension LedgerReader {
  /// Runs one read-only SQL statement of a user's own: over the file's tables and the program's views, which answer for
  /// the question's instants.
  /// - Parameters:
  ///   - sql: one statement that reads.
  ///   - limits: how long it may take, and how long its texts may be.
  ///   - columns: called once with the names of the columns.
  ///   - row: called for each row.
  /// - Throws: ``LedgerError`` with `refusedStatement` and SQLite's own words where the statement is not understood or
  ///   would change something; with `statementTooSlow` or `statementTooLarge` where it goes beyond its limits.
  public func query(
    _ sql: String, _ question: Question, limits: QueryLimits = QueryLimits(), columns: ([String]) throws -> Void,
    row: ([Value]) throws -> Void
  ) throws {
    do {
      // All views that the statement may mean.
      let words = sql.lowercased()
      try withConnection(laying: { $0.filter { words.contains($0) } }) { database in
        try askAboutAll(database, question)
        let statement = try database.makeStatement(sql: sql)
        guard statement.isReadonly, statement.columnCount > 0 else {
          throw LedgerError(.refusedStatement, "Only statements that read are run.", "Begin it with SELECT or WITH.")
        }
        guard statement.sql.count > 0, statement.arguments.isEmpty || !statement.sql.contains("?") else {
          throw LedgerError(.refusedStatement, "The statement has parameters.", "Write the values into it.")
        }
        try columns(statement.columnNames)
        let guardian = QueryGuard(database, limits)
        defer { guardian.release() }
        let rows = try Row.fetchCursor(statement)
        while let found = try rows.next() {
          let values: [Value] = found.databaseValues.map(Value.init)
          try guardian.pausing { try row(values) }
        }
      }
    } catch let error as DatabaseError {
      switch error.resultCode {
      case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_BUSY, .SQLITE_IOERR:
        throw LedgerError(error, path: path, isWriting: false)
      case .SQLITE_INTERRUPT: throw limits.tooSlow
      case .SQLITE_NOMEM, .SQLITE_TOOBIG: throw limits.tooLarge
      case .SQLITE_MISUSE:
        throw LedgerError(.refusedStatement, "There is more than one statement, or none.", "Give exactly one.")
      default:
        throw LedgerError(
          .refusedStatement, "SQLite refuses the statement: \(error.message ?? "no further word").",
          .readSchema)
      }
    }
  }
}
