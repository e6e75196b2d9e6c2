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

  /// How far the upgrade of a file is that an older version wrote, or the rebuilding of what is derived.
  public enum UpgradeProgress: Sendable, Equatable {
    /// Which migration is being applied, from 1, and how many are.
    case migrating(number: Int, count: Int)
    /// How many subscriptions were derived, and of how many.
    case deriving(done: Int, count: Int)
  }

  /// Where the file is.
  public let path: String
  let purpose: Purpose
  /// The connection that records; none where the ledger was opened for asking.
  let writer: DatabaseQueue?
  /// The version of the schema that was last found to be ours.
  let schemaVersion: Mutex<Int?>
  /// What seals all that it records.
  let sealer: Sealer?
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
  ///   - patience: how long a program that holds the file is waited for, each time.
  ///   - progress: called while a file of an older version is brought up to date; not at all where nothing is to be done.
  /// - Throws: ``LedgerError``.
  public init(
    path: String, for purpose: Purpose, patience: Duration = Ledger.defaultPatience,
    progress: (UpgradeProgress) -> Void = { _ in }
  ) throws {
    self.path = path
    self.purpose = purpose
    if purpose == .asking, !FileManager.default.fileExists(atPath: path) {
      throw LedgerError(
        .noSuchFile, "There is no ledger at \(path).", "Import something first, or name it with --database.")
    }
    guard !path.isEmpty, path != ":memory:", !path.hasPrefix("file:") else {
      throw LedgerError(.refusedText, "'\(path)' names no file.", "Name a path with --database.")
    }
    try Self.requirePlainFile(path)
    queue = AskingConnection(path: path, scope: .all)
    lineQueue = AskingConnection(path: path, scope: .lines)
    settledLineQueue = AskingConnection(path: path, scope: .settledLines)
    do {
      let opened =
        purpose == .recording
        ? try Self.openedForRecording(path: path, Patience(patience), progress: progress) : nil
      (writer, sealer) = (opened?.queue, opened?.sealer)
      schemaVersion = Mutex(opened?.schemaVersion ?? nil)
      // Whatever is wrong with the file is to be said now.
      if purpose == .asking { _ = try settledLineQueue.queue() }
    } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: purpose == .recording)
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
