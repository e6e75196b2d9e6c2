internal import Foundation
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// Two connections for each core. All of them see one state of the file, also while others record.
final class AuditConnections: Sendable {
  /// The connections of one core.
  struct Pair: Sendable {
    /// The connection that reads the projections.
    let stored: DatabaseQueue
    /// The connection that derives answers from the evidence alone. Its projections are empty.
    let derived: DatabaseQueue
  }

  let pairs: [Pair]

  /// Opens two connections for each core.
  /// - Parameter count: how many cores there are.
  init(path: String, count: Int = ProcessInfo.processInfo.activeProcessorCount) throws {
    for _ in 0..<10 {
      let first = try SnapshotConnection.open(path)
      if let others = try first.unsafeRead({ try SnapshotConnection.open(2 * count - 1, path, besides: $0) }) {
        let queues = [first] + others
        pairs = stride(from: 0, to: queues.count, by: 2).map { Pair(stored: queues[$0], derived: queues[$0 + 1]) }
        return
      }
      SnapshotConnection.close([first])
    }
    // Another program records all the time. One core can still see one state by itself.
    pairs = [Pair(stored: try SnapshotConnection.open(path), derived: try SnapshotConnection.open(path))]
  }

  func close() { SnapshotConnection.close(pairs.flatMap { [$0.stored, $0.derived] }) }
}
