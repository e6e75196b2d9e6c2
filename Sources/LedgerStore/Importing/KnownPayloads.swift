internal import AppStore
internal import GRDB
internal import LedgerSchema

/// Tells whether payloads are recorded, from many threads at once, while others record.
///
/// What it does not know may have been recorded a moment ago; what it knows stays.
final class KnownPayloads: Sendable {
  private let queue: DatabaseQueue

  /// Opens a connection of its own.
  init(path: String) throws {
    queue = try LedgerError.wrapping(path, isWriting: false) { try LedgerFile.openForReading(path: path) }
  }

  /// Lets the file go: whoever closes it last moves its log into it.
  func close() { try? queue.close() }

  func contains(_ digest: ContentDigest) -> Bool {
    // Where the file cannot be read, recording will say so.
    let found = try? queue.writeWithoutTransaction { database in
      try Step(database, "SELECT 1 FROM main.payload WHERE digest = ?").bind(digest).number()
    }
    return found.flatMap(\.self) != nil
  }
}
