internal import AppStore
package import GRDB
internal import LedgerSchema

/// The power to record evidence and entries, for the time of one transaction. Only ``LedgerRecorder`` gives it.
///
/// Every row that is inserted through it is sealed. It reads everything, and neither changes nor removes a row.
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

  /// Inserts a row with a value for each column but its salt. (The tables that receipts and notifications fill by the
  /// million are filled by ``EvidenceStep`` alone: no trigger seals them.)
  /// - Returns: its number, for tables whose rows have one.
  @discardableResult
  package func insert(_ table: StaticString, _ values: [(any DatabaseValueConvertible)?]) throws -> Int64 {
    precondition(!EvidenceStep.boundTables.contains("\(table)"), "rows of \(table) are sealed by an EvidenceStep")
    return try database.insertRow(table, values)
  }

  /// The prepared statements of an import.
  func steps() -> PreparedSteps<EvidenceStep> {
    PreparedSteps { [database, sealer] step in
      try Step(database, step.sql, rows: step.sealedTable.flatMap { sealer?.rows(of: $0) })
    }
  }

  /// The power to maintain the projections in the same transaction.
  var projections: ProjectionTransaction { ProjectionTransaction(database, authorizer) }

  /// Whether the file still has the last seal that this connection made.
  func hasContinued() throws -> Bool { try sealer?.hasContinued(database) == true }

  /// Asks about subscriptions, for statements that read `temp.…`.
  func ask(_ keys: [Int64], asOf: Int64, knownAt: Int64) throws {
    try database.cachedStatement(sql: "DELETE FROM temp.param_scope").execute()
    let insertion = try database.cachedStatement(sql: "INSERT OR IGNORE INTO temp.param_scope VALUES (?, ?, ?)")
    for key in keys { try insertion.execute(arguments: [asOf, knownAt, key]) }
  }

  /// Records arrivals in a database in memory that belongs to the caller, and that needs no seals.
  package static func recordUnsealed(_ arrivals: [Arrival], in memory: Database) throws {
    var recorder = Recorder(EvidenceTransaction(memory, nil, try WriteAuthorizer(memory)))
    for arrival in arrivals { try recorder.record(arrival) }
  }
}

/// The power to erase a person, for the time of one transaction: texts and ids may be rewritten. What became of each row
/// is recorded and sealed when the transaction ends. Only ``LedgerRecorder`` gives it.
package struct ErasureTransaction: RowSource {
  package let database: Database
  private let sealer: Sealer
  private let authorizer: WriteAuthorizer

  init(_ database: Database, _ sealer: Sealer, _ authorizer: WriteAuthorizer) {
    (self.database, self.sealer, self.authorizer) = (database, sealer, authorizer)
  }

  package func query(_ sql: String) throws -> GRDB.Statement { try database.cachedStatement(sql: sql) }

  /// Inserts a row with a value for each column but its salt.
  @discardableResult
  package func insert(_ table: StaticString, _ values: [(any DatabaseValueConvertible)?]) throws -> Int64 {
    try database.insertRow(table, values)
  }

  /// Makes the original transactions that link entries name those that their ids lead to.
  package func rebuildLinkTargets() throws {
    try ProjectionKeeper.rebuildLinkTargets(ProjectionTransaction(database, authorizer))
  }

  /// Notes from here on what each row was before it is rewritten.
  /// - Parameter erasure: the number of the row in `erasure`.
  package func beginRewriting(erasure: Int64) throws { try sealer.beginRewriting(database, erasure: erasure) }
}
