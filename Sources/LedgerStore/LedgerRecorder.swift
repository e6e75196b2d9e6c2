internal import AppStore
internal import Foundation
package import GRDB
internal import LedgerSchema
internal import Synchronization
internal import TextTemplates

/// A recorder of evidence and entries in one ledger.
///
/// One program records at a time, and others wait. Every recorded row is sealed (law 4).
public final class LedgerRecorder: Sendable {
  /// The default time to wait for another program that has the file locked: 30 seconds.
  public static let defaultBusyTimeout = Duration.seconds(30)

  /// A reader of the ledger in which this recorder records.
  public let reader: LedgerReader
  private let writer: DatabaseQueue
  private let sealer: Sealer
  private let authorizer: WriteAuthorizer
  /// The version of the file's schema when it was last compared with the program's own schema.
  private let schemaVersion: Mutex<Int?>
  private let busyTimeout: BusyTimeout
  /// The file that was opened.
  private let identity: FileIdentity?
  /// The ids of stored text templates, which nearly every payload needs.
  let knownTemplates = Mutex<[TextTemplate.Template: Int64]>([:])

  /// The path of the ledger's file.
  public var path: String { reader.path }

  /// Opens a ledger for recording. It makes the file when none exists, and upgrades the file of an older version.
  /// - Parameters:
  ///   - path: the path of a ledger, or of a file to make.
  ///   - busyTimeout: the longest time for each wait for another program that has the file locked.
  ///   - progress: called during the upgrade of an older file.
  /// - Throws: ``LedgerError``: `altered_schema` when somebody changed the file's schema, `busy` after the timeout.
  public init(
    path: String, busyTimeout: Duration = LedgerRecorder.defaultBusyTimeout,
    progress: (UpgradeProgress) -> Void = { _ in }
  ) throws {
    try LedgerFile.requirePath(path)
    try LedgerFile.requirePlainFile(path)
    reader = LedgerReader(ofOpenFile: path)
    self.busyTimeout = BusyTimeout(busyTimeout)
    let opened = try LedgerError.wrapping(path, isWriting: true) {
      try LedgerFile.openForRecording(path: path, BusyTimeout(busyTimeout), progress: progress)
    }
    (writer, sealer, authorizer) = (opened.queue, opened.sealer, opened.authorizer)
    schemaVersion = Mutex(opened.schemaVersion)
    identity = FileIdentity(path: path)
  }

  /// Closes the file, and moves the content of SQLite's write-ahead log into it, so that the one file is complete.
  /// Without this call nothing is lost, but then the `-wal` file beside the ledger is part of it.
  public func close() {
    reader.close()
    // Both calls fail only when another program reads, or when nothing is left to do.
    truncateWriteAheadLog()
    try? writer.close()
  }

  /// Derives the periods that an import left for its end, some hundred subscriptions in each transaction.
  package func derivePeriods() throws { while try deriveSomePeriods() {} }

  /// Derives periods that wait, of some hundred subscriptions, in one transaction.
  /// - Returns: whether more may wait.
  package func deriveSomePeriods() throws -> Bool {
    try record { try EntitlementPeriods.fillGaps($0.projections, limit: SubscriptionSlice.width) }
  }

  /// Keeps the write-ahead log at about 16 MiB and the cache at 16 MiB, for a program that runs for long and writes
  /// little at once. An import has more of both.
  package func limitCacheAndLog() throws {
    try LedgerError.wrapping(path, isWriting: true) {
      try writer.writeWithoutTransaction {
        try $0.execute(sql: "PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 4096;")
      }
    }
  }

  /// Moves the content of the write-ahead log into the file, when no other program reads.
  /// - Returns: whether the log is empty now.
  @discardableResult
  package func truncateWriteAheadLog() -> Bool {
    let row = try? writer.writeWithoutTransaction { try Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    return row?["busy"] == 0
  }

  /// Runs a closure that records rows, as one transaction. When this returns, the rows are sealed and durable. When it
  /// throws, none of them remains.
  /// - Throws: ``LedgerError``, and the errors of `body`.
  package func record<Value>(_ body: (EvidenceTransaction) throws -> Value) throws -> Value {
    try write { try body(EvidenceTransaction($0, sealer, authorizer)) }
  }

  /// Runs a closure that erases a person, as one transaction. The outcome for every row is recorded and sealed.
  /// - Returns: the closure's value, and whether the write-ahead log was emptied afterwards.
  /// - Throws: ``LedgerError``, and the errors of `body`.
  package func writeErasure<Value>(
    isCommitted: Bool = true, _ body: (ErasureTransaction) throws -> Value,
    sealed: (Database, Value) throws -> Value = { $1 }
  ) throws -> (value: Value, isLogEmpty: Bool) {
    let value = try write(isCommitted: isCommitted, sealed: sealed) { database in
      // Overwritten and removed text must not stay in free pages of the file.
      try database.execute(sql: "PRAGMA secure_delete = ON")
      return try body(ErasureTransaction(database, sealer, authorizer))
    }
    // The write-ahead log contains the old pages until it is emptied.
    return (value, isCommitted ? truncateWriteAheadLog() : true)
  }

  /// Checks that the file is still at its path, and that its schema is the one that this program writes.
  /// - Throws: ``LedgerError``: `file_moved`, `altered_schema` or `newer_schema`.
  package func checkFile() throws {
    try requireSameFile()
    try reader.lookUp { try requireUnalteredSchema($0) }
  }

  private func write<Value>(
    isCommitted: Bool = true, sealed: (Database, Value) throws -> Value = { $1 }, _ body: (Database) throws -> Value
  ) throws -> Value {
    try LedgerError.wrapping(path, isWriting: true) {
      try writer.writeWithoutTransaction { database in
        var result: Value?
        // The write lock is taken at once, so that no other program can write in between.
        try LedgerFile.inTransaction(database, path, busyTimeout) {
          try requireUnalteredSchema(database)
          sealer.begin()
          let value = try body(database)
          try sealer.seal(database)
          try requireSameFile()
          result = try sealed(database, value)
          return isCommitted ? .commit : .rollback
        }
        guard let result else { throw LedgerError(.cannotWrite, "Nothing was recorded in \(path).") }
        return result
      }
    }
  }

  /// Refuses to write into a file that nobody would find: its path is gone, or names another file.
  /// - Throws: ``LedgerError`` with `file_moved`.
  private func requireSameFile() throws {
    guard FileIdentity(path: path) != identity else { return }
    throw LedgerError(
      .fileMoved, "\(path) was moved away or replaced while it was open. Nothing was recorded.",
      "Put the ledger in its place, and start the program again.")
  }

  /// Refuses to write when somebody changed the schema after the last comparison. Opening compares it, but a program
  /// may have the file open for weeks.
  /// - Throws: ``LedgerError`` with `altered_schema`.
  private func requireUnalteredSchema(_ database: Database) throws {
    let version = try Schema.version(database)
    guard schemaVersion.withLock({ $0 }) != version else { return }
    try SchemaAudit(database).requireUnaltered(path)
    schemaVersion.withLock { $0 = version }
  }
}

/// The progress of an upgrade or of a new derivation of the projections, or the reason why the views stay as they are.
public enum UpgradeProgress: Sendable, Equatable {
  /// The number of the migration that is running, from 1, and the count of all missing migrations.
  case migrating(number: Int, count: Int)
  /// The number of subscriptions derived so far, and the count of all.
  case deriving(done: Int, count: Int)
  /// The version of a newer program, whose views the file has. They stay as they are.
  case keepingViews(of: String)
}
