package import GRDB
internal import LedgerSchema

/// Maintains what a ledger derives from its evidence and stores for speed: the projections. It cannot touch evidence:
/// SQLite refuses every statement that would write another table.
public struct ProjectionMaintainer: Sendable {
  /// The path of the file.
  public let path: String
  private let busyTimeout: BusyTimeout

  /// A maintainer of a ledger's projections. The file is opened by its functions.
  /// - Parameters:
  ///   - path: the path of a ledger.
  ///   - busyTimeout: how long to wait for another program that holds the file, each time.
  public init(path: String, busyTimeout: Duration = LedgerRecorder.defaultBusyTimeout) {
    (self.path, self.busyTimeout) = (path, BusyTimeout(busyTimeout))
  }

  /// Derives all projections again from the evidence, as one transaction. No answer changes by it, unless somebody
  /// changed what was stored.
  /// - Parameter progress: called after each thousand subscriptions.
  /// - Throws: ``LedgerError``.
  public func rebuild(progress: (UpgradeProgress) -> Void = { _ in }) throws {
    try LedgerError.wrapping(path, isWriting: true) {
      let connection = try connection()
      defer { connection.close() }
      try connection.overlay(ProjectionKeeper.neededViews)
      try connection.maintain { transaction in
        for table in Self.derivedBySubscription { try transaction.execute("DELETE FROM main.\(table)") }
        try ProjectionKeeper.rebuild(transaction) { progress(.deriving(done: $0, count: $1)) }
        try ProjectionKeeper.rebuildIdentifiers(transaction)
      }
    }
  }

  /// The projections but for the ids that lead to subscriptions.
  private static let derivedBySubscription = [
    "projection_original_transaction", "projection_transaction", "projection_renewal_info",
    "projection_metric_coverage", "projection_metric_delta", "projection_metric_delta_sum",
    "projection_metric_dimensions",
  ]

  /// Opens a connection that writes projections only. The file is brought to the present text of its views.
  package func connection() throws -> ProjectionConnection { try ProjectionConnection(path, busyTimeout) }
}

/// A connection that reads a ledger and writes its projections.
package final class ProjectionConnection {
  private let queue: DatabaseQueue
  private let authorizer: WriteAuthorizer
  /// The relations of questions, and the views that were overlaid.
  private var overlaid: Set<String>

  fileprivate init(_ path: String, _ busyTimeout: BusyTimeout) throws {
    try LedgerFile.requirePlainFile(path)
    queue = try DatabaseQueue(
      path: path, configuration: LedgerFile.configuration(isReadOnly: false, busyTimeout))
    (authorizer, overlaid) = try queue.writeWithoutTransaction { database in
      try LedgerFile.checkIdentity(database, path: path, mayBeEmpty: false)
      try database.inTransaction(.immediate) {
        if try !Schema.hasPresentViews(database) { try Schema.generate(database) }
        try SchemaAudit(database).requireOurs(path)
        return .commit
      }
      // What is derived is much, and soon gone, and not worth a file. Setting this removes temporary tables, so it is first.
      try database.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536")
      return (
        try WriteAuthorizer(database, limited: true), try ReadConnection.prepare(database, .subscriptions)
      )
    }
  }

  /// Closes the connection.
  package func close() { try? queue.close() }

  /// Lays views over the file's.
  func overlay(_ views: [String]) throws {
    try queue.writeWithoutTransaction { try Schema.overlay(views, on: $0, overlaid: &overlaid) }
  }

  /// Prepares the connection for statements of the caller, outside of a transaction.
  /// - Parameter body: may lay views; it adds their names to the set.
  package func prepare<Value>(_ body: (Database, inout Set<String>) throws -> Value) throws -> Value {
    try queue.writeWithoutTransaction { try body($0, &overlaid) }
  }

  /// Reads, as one transaction. It may write temporary tables.
  package func read(_ body: (Database) throws -> Void) throws {
    try queue.writeWithoutTransaction { database in
      try database.inTransaction(.deferred) {
        try body(database)
        return .commit
      }
    }
  }

  /// Writes projections, as one transaction.
  package func maintain(_ body: (ProjectionTransaction) throws -> Void) throws {
    try queue.writeWithoutTransaction { database in
      try database.inTransaction(.immediate) {
        try body(ProjectionTransaction(database, authorizer))
        return .commit
      }
    }
  }
}
