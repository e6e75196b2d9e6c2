package import GRDB
internal import LedgerSchema

/// The power to maintain projections, for the time of one transaction.
///
/// It reads everything. It writes only tables that the manifest marks `@projection`, and temporary ones: SQLite refuses
/// to prepare a statement that would write another (``WriteAuthorizer``).
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

  /// Runs an insertion.
  /// - Returns: the new row's number.
  package func insert(_ sql: String, _ arguments: StatementArguments) throws -> Int64 {
    try execute(sql, arguments)
    return database.lastInsertedRowID
  }

  /// Prepares a statement that is run for many rows.
  package func step(_ sql: String) throws -> Step {
    _ = try query(sql)
    return try Step(database, sql)
  }

  /// The prepared statements of an import.
  func steps() -> PreparedSteps<ProjectionStep> { PreparedSteps { try step($0.sql) } }

  /// Makes an append-only projection equal to what is derived.
  /// - Parameters:
  ///   - kept: a SELECT of the table's columns.
  ///   - derived: a SELECT of what they must be.
  func replace(_ table: String, _ columns: [String], kept: String, derived: String) throws {
    let surplus = try Row.fetchAll(query("\(kept) EXCEPT \(derived)"))
    if !surplus.isEmpty {
      try database.liftingRefusals(of: table) {
        let condition = columns.map { "\($0) = ?" }.joined(separator: " AND ")
        for row in surplus {
          try execute("DELETE FROM main.\(table) WHERE \(condition)", StatementArguments(row.databaseValues))
        }
      }
    }
    try execute("INSERT INTO main.\(table) \(derived) EXCEPT \(kept)")
  }
}
