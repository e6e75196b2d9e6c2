internal import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema
internal import Synchronization

/// Records evidence and entries in one ledger.
///
/// One program records at a time; others wait for their turn. Everything that is recorded is sealed (design, law 4).
public final class LedgerRecorder: Sendable {
  /// How long a program waits for another one that holds the file, unless the caller says otherwise: 30 seconds.
  public static let defaultBusyTimeout = Duration.seconds(30)

  /// Reads the same ledger.
  public let reader: LedgerReader
  private let writer: DatabaseQueue
  private let sealer: Sealer
  private let authorizer: WriteAuthorizer
  /// The version of the schema that was last compared with the program's own.
  private let schemaVersion: Mutex<Int?>
  /// The numbers of text forms, which nearly every payload needs.
  let knownForms = Mutex<[TextForm.Form: Int64]>([:])

  /// The path of the file.
  public var path: String { reader.path }

  /// Opens a ledger for recording: makes the file when there is none, and brings a file of an older version up to date.
  /// - Parameters:
  ///   - path: the path of a file, or of one that is to be made.
  ///   - busyTimeout: how long to wait for another program that holds the file, each time.
  ///   - progress: called while a file of an older version is brought up to date.
  /// - Throws: ``LedgerError``: `altered_schema` when somebody changed the file's schema, `busy` after the timeout.
  public init(
    path: String, busyTimeout: Duration = LedgerRecorder.defaultBusyTimeout,
    progress: (UpgradeProgress) -> Void = { _ in }
  ) throws {
    try LedgerFile.requirePath(path)
    try LedgerFile.requirePlainFile(path)
    reader = LedgerReader(recordedAt: path)
    let opened = try LedgerError.wrapping(path, isWriting: true) {
      try LedgerFile.openForRecording(path: path, BusyTimeout(busyTimeout), progress: progress)
    }
    (writer, sealer, authorizer) = (opened.queue, opened.sealer, opened.authorizer)
    schemaVersion = Mutex(opened.schemaVersion)
  }

  /// Closes the file, and moves everything out of SQLite's write-ahead log, so that the one file is whole. Without this
  /// call nothing is lost, but the `-wal` file beside the ledger belongs to it.
  public func close() {
    reader.close()
    // Both fail only when somebody else reads, or when there is nothing to do.
    emptyLog()
    try? writer.close()
  }

  /// Moves everything out of the write-ahead log, when nobody else reads.
  package func emptyLog() {
    try? writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  /// Records something as one transaction: it is sealed and durable when this returns, and nothing of it remains when
  /// this throws.
  /// - Throws: ``LedgerError``, and what `body` throws.
  package func record<Value>(_ body: (EvidenceTransaction) throws -> Value) throws -> Value {
    try write { try body(EvidenceTransaction($0, sealer, authorizer)) }
  }

  /// Erases a person as one transaction: what becomes of every row is recorded and sealed.
  /// - Throws: ``LedgerError``, and what `body` throws.
  package func writeErasure<Value>(_ body: (ErasureTransaction) throws -> Value) throws -> Value {
    try write { try body(ErasureTransaction($0, sealer, authorizer)) }
  }

  private func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try LedgerError.wrapping(path, isWriting: true) {
      try writer.writeWithoutTransaction { database in
        var result: Value?
        // The lock is taken at once, so that no other program can get in between.
        try database.inTransaction(.immediate) {
          try requireOurSchema(database)
          sealer.begin()
          result = try body(database)
          try sealer.seal(database)
          return .commit
        }
        guard let result else { throw LedgerError(.cannotWrite, "Nothing was recorded in \(path).") }
        return result
      }
    }
  }

  /// Refuses to write where the schema was changed since it was last compared. Opening compares it; but a job may have the
  /// file open for weeks.
  private func requireOurSchema(_ database: Database) throws {
    let version = try Schema.version(database)
    guard schemaVersion.withLock({ $0 }) != version else { return }
    try SchemaAudit(database).requireOurs(path)
    schemaVersion.withLock { $0 = version }
  }
}

/// How far a file of an older version is brought up to date, or the projections are derived again.
public enum UpgradeProgress: Sendable, Equatable {
  /// The migration that is being applied, counted from 1, and how many there are.
  case migrating(number: Int, count: Int)
  /// How many subscriptions were derived, and of how many.
  case deriving(done: Int, count: Int)
}
