internal import GRDB
internal import GRDBSQLite
internal import LedgerSchema
internal import Synchronization

/// Decides which tables a statement may write. SQLite calls it when it prepares a statement.
///
/// It replaces GRDB's own authorizer, which records what each statement reads. The ledger does not use that record, and
/// it costs a fifth of the time to prepare a statement.
final class WriteAuthorizer: Sendable {
  /// Whether statements may write only projections and a server's own tables at present.
  private let isLimited: Atomic<Bool>

  /// The tables of projections, and those that a server keeps about its own work. They contain no evidence.
  private static let unsealed = Set(
    SchemaRelations.current.relations.filter { ($0.isProjection || $0.isService) && !$0.isView }.map(\.name))

  /// Whether an action changes rows, tables or triggers. SQLite also calls the authorizer for its own table
  /// `sqlite_master`.
  private static func isWrite(_ action: CInt) -> Bool {
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_CREATE_TRIGGER, SQLITE_DROP_TRIGGER, SQLITE_DROP_TABLE:
      true
    default: false
    }
  }

  /// Installs an authorizer on a connection. The connection owns it.
  ///
  /// The schema must be complete, because GRDB learns of new tables through its own authorizer.
  /// - Parameter limited: whether the connection may write only projections and a server's own tables, at all times.
  init(_ database: Database, limited: Bool = false) throws {
    isLimited = Atomic(limited)
    // SQLite owns no object for an authorizer, but it owns one for a function.
    try database.offer("subledger_authorizer", of: self) { context, _, _ in sqlite3_result_null(context) }
    sqlite3_set_authorizer(
      database.sqliteConnection,
      { context, action, first, second, schema, _ in
        guard WriteAuthorizer.isWrite(action), let context, let schema, String(cString: schema) == "main" else {
          return SQLITE_OK
        }
        let authorizer = Unmanaged<WriteAuthorizer>.fromOpaque(context).takeUnretainedValue()
        guard authorizer.isLimited.load(ordering: .relaxed) else { return SQLITE_OK }
        // For a trigger, SQLite passes the table's name as the second argument.
        let isTrigger = action == SQLITE_CREATE_TRIGGER || action == SQLITE_DROP_TRIGGER
        guard let name = (isTrigger ? second : first).map({ String(cString: $0) }) else { return SQLITE_DENY }
        return WriteAuthorizer.unsealed.contains(name) || name == "sqlite_master" ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Prepares statements that may write only projections.
  func limitingToProjections<Value>(_ prepare: () throws -> Value) rethrows -> Value {
    let before = isLimited.exchange(true, ordering: .relaxed)
    defer { isLimited.store(before, ordering: .relaxed) }
    return try prepare()
  }
}
