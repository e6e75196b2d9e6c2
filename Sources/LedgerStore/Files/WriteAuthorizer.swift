internal import GRDB
internal import GRDBSQLite
internal import LedgerSchema
internal import Synchronization

/// Decides which tables a statement may write. SQLite asks it when it prepares a statement.
///
/// It takes the place of GRDB's own authorizer, which records what each statement reads. Nothing here needs that record,
/// and it takes a fifth of the time of preparing a statement.
final class WriteAuthorizer: Sendable {
  /// Whether only projections may be written now.
  private let isLimited: Atomic<Bool>

  /// The tables of a ledger that hold no evidence.
  private static let projections = Set(
    Manifest.current.relations.filter { $0.isProjection && !$0.isView }.map(\.name))

  /// Gives a connection an authorizer; the connection keeps it.
  ///
  /// The schema must be complete: GRDB's own authorizer tells GRDB of tables that are made.
  /// - Parameter limited: whether the connection may never write anything but projections.
  init(_ database: Database, limited: Bool = false) throws {
    isLimited = Atomic(limited)
    // SQLite keeps no object for an authorizer, but it does for a function.
    try database.offer("subledger_authorizer", of: self) { context, _, _ in sqlite3_result_null(context) }
    sqlite3_set_authorizer(
      database.sqliteConnection,
      { context, action, table, _, schema, _ in
        guard action == SQLITE_INSERT || action == SQLITE_UPDATE || action == SQLITE_DELETE,
          let context, let table, let schema, String(cString: schema) == "main"
        else { return SQLITE_OK }
        let authorizer = Unmanaged<WriteAuthorizer>.fromOpaque(context).takeUnretainedValue()
        guard authorizer.isLimited.load(ordering: .relaxed) else { return SQLITE_OK }
        return WriteAuthorizer.projections.contains(String(cString: table)) ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Prepares statements of which none may write anything but projections.
  func limitingToProjections<Value>(_ prepare: () throws -> Value) rethrows -> Value {
    let before = isLimited.exchange(true, ordering: .relaxed)
    defer { isLimited.store(before, ordering: .relaxed) }
    return try prepare()
  }
}
