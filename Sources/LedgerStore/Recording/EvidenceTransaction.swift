internal import AppStore
package import GRDB
internal import LedgerSchema

/// A transaction that may record evidence and entries. Only ``LedgerRecorder`` creates it for a file.
///
/// It seals every row that it inserts. It reads all tables, and neither changes nor removes a row.
package struct EvidenceTransaction: RowSource {
  private let database: Database
  private let sealer: Sealer?
  private let authorizer: WriteAuthorizer

  init(_ database: Database, _ sealer: Sealer?, _ authorizer: WriteAuthorizer) {
    (self.database, self.sealer, self.authorizer) = (database, sealer, authorizer)
  }

  package func query(_ sql: String) throws -> GRDB.Statement {
    let statement = try database.cachedStatement(sql: sql)
    precondition(statement.isReadonly, "a transaction that records evidence changes no row: \(sql)")
    return statement
  }

  /// Inserts a row with the values of the named columns; the others are NULL. The salt needs no value.
  /// (``EvidenceStatement`` alone fills the tables that get millions of rows, because no trigger seals these.)
  /// - Returns: the row's number, in tables whose rows have one.
  @discardableResult
  package func insert(_ table: StaticString, _ values: RowValues) throws -> Int64 { try insert(table, Array(values)) }

  @discardableResult
  func insert(_ table: StaticString, _ values: [RowValues.Element]) throws -> Int64 {
    precondition(
      !EvidenceStatement.boundTables.contains("\(table)"), "rows of \(table) are sealed by an EvidenceStatement")
    return try database.insertRow(table, values)
  }

  /// Returns the statements with which an import finds and records evidence.
  func statements() -> StatementCache<EvidenceStatement> {
    StatementCache { [database, sealer] statement in
      try BoundStatement(database, statement.source, rows: statement.source.table.flatMap { sealer?.rows(of: $0) })
    }
  }

  /// A transaction that may maintain projections, within this transaction.
  package var projections: ProjectionTransaction { ProjectionTransaction(database, authorizer) }

  /// Returns whether the file still contains the last seal that this connection made.
  func containsLastSeal() throws -> Bool { try sealer?.containsLastSeal(database) == true }

  /// Asks a query about original transactions, for statements that read `temp.…`.
  func ask(_ keys: [OriginalTransactionKey], _ parameters: QueryParameters) throws {
    try SubscriptionSlice.keys(Set(keys).sorted()).write(to: projections, parameters)
  }

  /// Records arrivals in a database in memory, which belongs to the caller and needs no seals.
  package static func recordUnsealed(_ arrivals: [Arrival], in memory: Database) throws {
    var recorder = Recorder(EvidenceTransaction(memory, nil, try WriteAuthorizer(memory)))
    for arrival in arrivals { try recorder.record(arrival) }
  }
}

/// A transaction that may erase a person: it may rewrite texts and ids. At its end, the outcome for each row is
/// recorded and sealed. Only ``LedgerRecorder`` creates it.
package struct ErasureTransaction: RowSource {
  package let database: Database
  private let sealer: Sealer
  private let authorizer: WriteAuthorizer

  init(_ database: Database, _ sealer: Sealer, _ authorizer: WriteAuthorizer) {
    (self.database, self.sealer, self.authorizer) = (database, sealer, authorizer)
  }

  package func query(_ sql: String) throws -> GRDB.Statement { try database.cachedStatement(sql: sql) }

  /// Inserts a row with the values of the named columns; the others are NULL. The salt needs no value.
  /// - Returns: the row's number, in tables whose rows have one.
  @discardableResult
  package func insert(_ table: StaticString, _ values: RowValues) throws -> Int64 {
    try database.insertRow(table, values)
  }

  /// Makes the stored targets of link entries equal to the original transactions that their ids lead to.
  package func rebuildLinkTargets() throws {
    try ProjectionUpdater.rebuildLinkTargets(ProjectionTransaction(database, authorizer))
  }

  /// Begins to note the earlier content of each row that is rewritten.
  /// - Parameter erasure: the number of the row in `erasure`.
  package func beginErasure(erasure: Int64) throws { try sealer.beginErasure(database, erasure: erasure) }
}
