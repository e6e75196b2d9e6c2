internal import AppStore
internal import GRDB
internal import LedgerSchema

/// Checks whether payloads are recorded, from many threads, while others record.
///
/// A payload that it reports as unknown may have been recorded a moment ago. A payload that it reports as known stays
/// known.
final class KnownPayloads: Sendable {
  private let queue: DatabaseQueue

  /// Opens a connection for these checks alone.
  init(path: String) throws {
    queue = try LedgerError.wrapping(path, isWriting: false) { try LedgerFile.openForReading(path: path) }
  }

  /// Closes the connection. The last connection to close moves SQLite's write-ahead log into the file.
  func close() { try? queue.close() }

  func contains(_ digest: ContentDigest) -> Bool {
    // If the file cannot be read, recording reports the error.
    let found = try? queue.writeWithoutTransaction { database in
      try BoundStatement(database, "SELECT 1 FROM main.payload WHERE digest = ?").bind(digest).number()
    }
    return found.flatMap(\.self) != nil
  }
}
