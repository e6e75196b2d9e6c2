package import GRDB
internal import LedgerSchema

/// A transaction that may maintain projections.
///
/// It reads all tables. It writes only temporary tables and tables that the data dictionary marks `@projection` or
/// `@service`. SQLite
/// refuses to prepare a statement that would write another table (``WriteAuthorizer``).
package struct ProjectionTransaction: RowSource {
  private let database: Database
  private let authorizer: WriteAuthorizer

  init(_ database: Database, _ authorizer: WriteAuthorizer) {
    (self.database, self.authorizer) = (database, authorizer)
  }

  package func query(_ sql: String) throws -> GRDB.Statement {
    try authorizer.limitingToProjections { try database.cachedStatement(sql: sql) }
  }

  /// Runs a statement that may write projections.
  package func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
    try query(sql).execute(arguments: arguments)
  }

  /// Inserts a row into a projection, with the values of the named columns; the others are NULL.
  /// - Returns: the row's number, in tables whose rows have one.
  @discardableResult
  package func insert(_ table: StaticString, _ values: RowValues) throws -> Int64 {
    try authorizer.limitingToProjections { try database.insertRow(table, values) }
  }

  /// The number of the row that was inserted last.
  package var lastInsertedRowID: Int64 { database.lastInsertedRowID }

  /// Prepares a statement that runs for many rows.
  package func statement(_ sql: String) throws -> BoundStatement { try statement(.sql(sql)) }

  func statement(_ source: StatementSource) throws -> BoundStatement {
    try authorizer.limitingToProjections { try BoundStatement(database, source) }
  }

  /// Returns the statements with which an import reads and writes projections.
  func statements() -> StatementCache<ProjectionStatement> { StatementCache { try statement($0.source) } }

  /// The tables of a derivation that the connection has.
  func tables(_ names: [String]) -> DerivedTables { DerivedTables(existing: names, on: database) }

  /// Removes the rows of the subscriptions in `temp.param_subscription` from a table.
  func deleteRows(_ table: String) throws {
    try execute(
      """
      DELETE FROM main.\(table)
      WHERE original_transaction_key IN (SELECT original_transaction_key FROM temp.param_subscription)
      """)
  }

  /// Stores the rows that a temporary relation derives for a table.
  func store(_ table: DerivedAnswers.Stored) throws {
    let columns = try DerivedAnswers.columns(of: table.name, database)
    try execute("INSERT INTO main.\(table.name) (\(columns)) SELECT \(columns) FROM temp.\(table.derived)")
  }

  /// Whether this program's views derived the answers that the file stores.
  func hasCurrentAnswers() throws -> Bool { try Schema.hasCurrentAnswers(database) }

  /// Makes an append-only projection equal to its derived rows.
  /// - Parameters:
  ///   - table: the name of the table.
  ///   - columns: the names of the table's columns.
  ///   - stored: a SELECT of the stored rows.
  ///   - derived: a SELECT of the rows that the table must contain.
  func replace(_ table: String, _ columns: [String], stored: String, derived: String) throws {
    let surplus = try Row.fetchAll(query("\(stored) EXCEPT \(derived)"))
    if !surplus.isEmpty {
      try database.disablingAppendOnlyTriggers(of: table) {
        let condition = columns.map { "\($0) = ?" }.joined(separator: " AND ")
        for row in surplus {
          try execute("DELETE FROM main.\(table) WHERE \(condition)", StatementArguments(row.databaseValues))
        }
      }
    }
    try execute("INSERT INTO main.\(table) \(derived) EXCEPT \(stored)")
  }
}
