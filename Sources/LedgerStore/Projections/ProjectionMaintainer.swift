package import GRDB
internal import LedgerSchema

/// Maintains a ledger's projections: results that it derives from evidence and stores for speed. It cannot change
/// evidence, because SQLite refuses every statement that would write another table.
public struct ProjectionMaintainer: Sendable {
  /// The path of the ledger's file.
  public let path: String
  private let busyTimeout: BusyTimeout

  /// Creates a maintainer of a ledger's projections. Its functions open the file.
  /// - Parameters:
  ///   - path: the path of a ledger.
  ///   - busyTimeout: the longest time for each wait for another program that has the file locked.
  public init(path: String, busyTimeout: Duration = LedgerRecorder.defaultBusyTimeout) {
    (self.path, self.busyTimeout) = (path, BusyTimeout(busyTimeout))
  }

  /// Derives all projections again from the evidence, as one transaction. This changes no answer, unless somebody
  /// changed the stored rows.
  /// - Parameter progress: called at the start and after each thousand subscriptions.
  /// - Throws: ``LedgerError``: `busy` after the timeout, `altered_schema` when somebody changed the file's schema.
  public func rebuild(progress: (UpgradeProgress) -> Void = { _ in }) throws {
    try LedgerError.wrapping(path, isWriting: true) {
      let connection = try derivingConnection()
      defer { connection.close() }
      try connection.read { database in
        guard try Schema.hasCurrentAnswers(database) else {
          throw LedgerError(
            .newerSchema, "The stored answers of \(path) are by the rules of a newer version of subledger.",
            "Use that version, or a later one.")
        }
      }
      try connection.maintain { transaction in
        for table in Self.derivedBySubscription { try transaction.execute("DELETE FROM main.\(table)") }
        try ProjectionUpdater.rebuild(transaction) { progress(.deriving(done: $0, count: $1)) }
        try ProjectionUpdater.rebuildIdentifiers(transaction)
        try AppleFigures(transaction).rebuild()
      }
    }
  }

  /// Derives the periods that wait to be derived, some hundred subscriptions in each transaction.
  package func derivePeriods() throws {
    let connection = try derivingConnection()
    defer { connection.close() }
    var isMore = true
    while isMore {
      try connection.maintain { isMore = try EntitlementPeriods.fillGaps($0, limit: SubscriptionSlice.width) }
    }
  }

  /// The projections that depend on single subscriptions. The ids that lead to subscriptions are not among them.
  private static let derivedBySubscription =
    DerivedAnswers.stored.map(\.name) + [
      "entitlement_period_gap", "projection_metric_coverage", "projection_metric_delta", "projection_metric_delta_sum",
      "projection_metric_dimensions",
    ]

  /// Opens a connection that can derive the projections that it writes.
  package func derivingConnection() throws -> ProjectionConnection {
    let connection = try connection()
    try connection.prepare { try ProjectionUpdater.prepare($0, temporaryViews: &$1) }
    return connection
  }

  /// Opens a connection that writes only projections. It replaces outdated views of the file.
  /// - Parameters:
  ///   - isChecked: whether the caller has just opened another one. The schema is not compared again then.
  ///   - scope: what the connection's answers are read from.
  package func connection(
    isChecked: Bool = false, _ scope: ReadConnection.Scope = .some
  ) throws -> ProjectionConnection {
    try ProjectionConnection(path, busyTimeout, isChecked: isChecked, scope)
  }
}

/// A connection that reads a ledger and writes its projections.
package final class ProjectionConnection {
  private let queue: DatabaseQueue
  private let path: String
  private let busyTimeout: BusyTimeout
  private let authorizer: WriteAuthorizer
  /// The temporary parameter tables and views of this connection.
  private var temporaryViews: Set<String>

  fileprivate init(
    _ path: String, _ busyTimeout: BusyTimeout, isChecked: Bool, _ scope: ReadConnection.Scope
  ) throws {
    (self.path, self.busyTimeout) = (path, busyTimeout)
    try LedgerFile.requirePlainFile(path)
    queue = try DatabaseQueue(
      path: path, configuration: LedgerFile.configuration(isReadOnly: false, busyTimeout))
    (authorizer, temporaryViews) = try queue.writeWithoutTransaction { database in
      if !isChecked {
        try LedgerFile.checkIdentity(database, path: path, mayBeEmpty: false)
        if try !Schema.isComplete(database) || Schema.shouldGenerate(database) {
          try LedgerFile.openForRecording(path: path, busyTimeout).queue.close()
        }
        try SchemaAudit(database).requireUnaltered(path)
      }
      // Derived rows are many and short-lived, so they stay in memory. This setting removes temporary tables, so it
      // comes first.
      try database.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536")
      return (
        try WriteAuthorizer(database, limited: true), try ReadConnection.prepare(database, scope)
      )
    }
  }

  /// Closes the connection to the file.
  package func close() { try? queue.close() }

  /// Prepares the connection for a caller's statements, outside of a transaction.
  /// - Parameter body: may create temporary views, and adds their names to the set.
  package func prepare<Value>(_ body: (Database, inout Set<String>) throws -> Value) throws -> Value {
    try queue.writeWithoutTransaction { try body($0, &temporaryViews) }
  }

  /// Runs a closure that reads, as one transaction. It may write temporary tables.
  package func read(_ body: (Database) throws -> Void) throws {
    try queue.writeWithoutTransaction { database in
      try database.inTransaction(.deferred) {
        try body(database)
        return .commit
      }
    }
  }

  /// Runs a closure that writes projections, as one transaction.
  package func maintain(_ body: (ProjectionTransaction) throws -> Void) throws {
    try queue.writeWithoutTransaction { database in
      try LedgerFile.inTransaction(database, path, busyTimeout) {
        try body(ProjectionTransaction(database, authorizer))
        return .commit
      }
    }
  }
}
