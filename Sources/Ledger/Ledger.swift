internal import AppStore
internal import Foundation
internal import GRDB
internal import Synchronization

/// One ledger: a SQLite file that remembers all that the App Store said, and derives from it who has access.
///
/// Opening for recording creates the file and brings its schema up to date; opening for asking changes nothing. Many
/// programs may ask while one records; two that record take turns.
public final class Ledger: Sendable {
  /// What a ledger is opened for.
  public enum Purpose: Sendable {
    /// Questions only: the file must exist, and is not written.
    case asking
    /// Recording, and questions: the file is created where there is none.
    case recording
  }

  /// Where the file is.
  public let path: String
  let purpose: Purpose
  /// The connection that records; none where the ledger was opened for asking.
  let writer: DatabaseQueue?
  /// The numbers of text forms, which nearly every payload asks for.
  let knownForms = Mutex<[TextForm.Form: Int64]>([:])
  /// A connection whose questions are about every line.
  let queue: AskingConnection
  /// A connection whose questions name their lines.
  let lineQueue: AskingConnection
  /// The same, for lines that the kept rows answer for.
  let settledLineQueue: AskingConnection

  /// Opens a ledger.
  /// - Parameters:
  ///   - path: a file path.
  ///   - purpose: whether anything will be recorded.
  /// - Throws: ``LedgerError``.
  public init(path: String, for purpose: Purpose) throws {
    self.path = path
    self.purpose = purpose
    if purpose == .asking, !FileManager.default.fileExists(atPath: path) {
      throw LedgerError(
        .noSuchFile, "There is no ledger at \(path).", "Import something first, or name it with --database.")
    }
    queue = AskingConnection(path: path, scope: .all)
    lineQueue = AskingConnection(path: path, scope: .lines)
    settledLineQueue = AskingConnection(path: path, scope: .settledLines)
    do {
      writer = purpose == .recording ? try Self.openedForRecording(path: path) : nil
      // Whatever is wrong with the file is to be said now.
      if purpose == .asking { _ = try settledLineQueue.queue() }
    } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: purpose == .recording)
    }
  }

  static func configuration(isReadOnly: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    // The recorder refers to rows that it has just found or made, and an audit looks for others: a look at each again,
    // for every row, is not paid for.
    configuration.foreignKeysEnabled = isReadOnly
    configuration.busyMode = .timeout(30)
    configuration.publicStatementArguments = false
    configuration.maximumReaderCount = 1
    return configuration
  }

  private static func openedForRecording(path: String) throws -> DatabaseQueue {
    let lock = FolderLock(around: path)
    defer { lock.release() }
    // Receipts are people's data: the file is made readable by its owner only. It is never made over another.
    guard FolderLock.makeFile(path) else {
      throw LedgerError(
        .cannotCreate, "\(path) cannot be created.", "Check that its folder exists and that you may write there.")
    }
    let queue = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: false))
    try queue.writeWithoutTransaction { database in
      try checkIdentity(database, path: path, mayBeEmpty: true)
      // The name first: whatever is interrupted after it is known as ours, and continued.
      if try Int32.fetchOne(database, sql: "PRAGMA application_id") != Schema.applicationID {
        try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
      }
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
      // Digests fall anywhere in their indexes: with room for them, and a log that is moved into the file seldom, a page
      // is written once for many rows. Every commit is still on disk when it returns.
      try database.execute(sql: "PRAGMA cache_size = -49152; PRAGMA wal_autocheckpoint = 65536;")
    }
    try Schema.migrator.migrate(queue)
    if try !queue.read(Schema.hasPresentViews) { try queue.write(Schema.recreateViews) }
    try queue.writeWithoutTransaction { database in
      var laid = try AskingConnection.prepare(database, .lines)
      let needed = ["line_fact", "transaction_interval", "renewal_derived", "customer_line"]
      try Schema.lay(needed, on: database, laid: &laid)
    }
    if try queue.read(ProjectionKeeper.areEmpty) { try queue.write(ProjectionKeeper.rebuild) }
    return queue
  }

  static func openedForAsking(path: String) throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: true))
    try queue.writeWithoutTransaction { database in
      try checkIdentity(database, path: path, mayBeEmpty: false)
      guard try Schema.migrator.hasCompletedMigrations(database) else {
        throw LedgerError(
          .olderSchema, "\(path) was written by an older version of subledger, or its making was interrupted.",
          "Import something, anything, into it: that brings it up to date.")
      }
    }
    return queue
  }

  /// A connection for looking up what is recorded while others record.
  func knownPayloads() throws -> KnownPayloads {
    do {
      return KnownPayloads(try Self.openedForAsking(path: path))
    } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: false)
    }
  }

  /// Refuses files that are not ours, and files of a newer program.
  private static func checkIdentity(_ database: Database, path: String, mayBeEmpty: Bool) throws {
    let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_schema") ?? 0
    if count == 0, mayBeEmpty { return }
    let identity = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    guard identity == Schema.applicationID else {
      throw LedgerError(
        .notALedger, "\(path) is a SQLite database, but not a ledger of subledger.",
        "Name another file with --database.")
    }
    guard try !Schema.migrator.hasBeenSuperseded(database) else {
      throw LedgerError(
        .newerSchema, "\(path) was written by a newer version of subledger.", "Use that version, or a later one.")
    }
  }

  /// Ends the use of a ledger: what was recorded is moved out of the write-ahead log, so that the one file, copied by
  /// itself, is whole. Without it nothing is lost, but the `-wal` file beside it belongs to it.
  public func close() {
    // Both fail only where someone else is reading, or nothing is left to do.
    for connection in [queue, lineQueue, settledLineQueue] { connection.close() }
    try? writer?.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    try? writer?.close()
  }
}
