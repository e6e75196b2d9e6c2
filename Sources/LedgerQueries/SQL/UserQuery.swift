internal import GRDB
internal import LedgerSchema
public import LedgerStore

extension LedgerReader {
  /// Runs one read-only SQL statement that a user wrote. It can read the tables of the file and the views of the
  /// program. The views answer for the instants of the query.
  /// - Parameters:
  ///   - sql: one statement that reads, without parameters.
  ///   - parameters: the instants, and the evidence that counts.
  ///   - limits: how long it may take, and how long its texts may be.
  ///   - columns: called once, with the names of the columns.
  ///   - row: called for each row.
  /// - Throws: `LedgerError` with `refusedStatement` and SQLite's own message, when SQLite cannot prepare the
  ///   statement or the statement would change something. With `statementTooSlow` or `statementTooLarge`, when it
  ///   exceeds its limits.
  public func query(
    _ sql: String, _ parameters: QueryParameters, limits: QueryLimits = QueryLimits(),
    columns: ([String]) throws -> Void,
    row: ([Value]) throws -> Void
  ) throws {
    do {
      // Everything whose name occurs in the statement.
      let words = sql.lowercased()
      let names = Schema.viewNames.union(DerivedAnswers.stored.map(\.name))
      try runStatement(names.filter { words.contains($0) }.sorted(), parameters) { database in
        let statement = try database.makeStatement(sql: sql)
        guard statement.isReadonly, statement.columnCount > 0 else {
          throw LedgerError(
            .refusedStatement, "Only a statement that reads rows and changes nothing is allowed.",
            "Begin it with SELECT or WITH.")
        }
        guard statement.sql.count > 0, statement.arguments.isEmpty || !statement.sql.contains("?") else {
          throw LedgerError(.refusedStatement, "The statement has parameters.", "Write the values into the statement.")
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
          .refusedStatement,
          "SQLite refuses the statement: \(error.message ?? "it gives no reason").\(Self.nearest(to: error, in: sql))",
          .readSchema)
      }
    }
  }

  /// Returns the names that resemble the one that SQLite does not know, as a sentence with a space before it. A column is
  /// searched in the tables and views that the statement names.
  private static func nearest(to error: DatabaseError, in sql: String) -> String {
    guard let words = error.message?.firstMatch(of: /no such (table|column): (?:\w+\.)?(\w+)/),
      let dictionary = try? DataDictionary.current()
    else { return "" }
    let near =
      words.1 == "table"
      ? dictionary.nearest(to: String(words.2), limit: 3)
      : dictionary.nearestColumn(to: String(words.2), in: sql)
    return near.isEmpty ? "" : " Nearest: \(near.joined(separator: ", "))."
  }
}
