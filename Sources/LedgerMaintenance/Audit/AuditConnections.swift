internal import Foundation
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// Connections for each core, all of which see one state of a file, also where others record meanwhile.
final class AuditConnections: Sendable {
  /// The connections of one core.
  struct Pair: Sendable {
    /// Answers from what is kept.
    let kept: DatabaseQueue
    /// Answers from the evidence alone: its projections are empty.
    let derived: DatabaseQueue
  }

  let pairs: [Pair]

  /// - Parameter count: how many cores there are.
  init(path: String, count: Int = ProcessInfo.processInfo.activeProcessorCount) throws {
    for _ in 0..<10 {
      let first = try SnapshotConnection.open(path)
      if let others = try first.unsafeRead({ try SnapshotConnection.open(2 * count - 1, path, besides: $0) }) {
        let queues = [first] + others
        pairs = stride(from: 0, to: queues.count, by: 2).map { Pair(kept: queues[$0], derived: queues[$0 + 1]) }
        return
      }
      SnapshotConnection.close([first])
    }
    // Somebody records all the time: one core sees one state by itself.
    pairs = [Pair(kept: try SnapshotConnection.open(path), derived: try SnapshotConnection.open(path))]
  }

  /// Ends the use of all connections.
  func close() { SnapshotConnection.close(pairs.flatMap { [$0.kept, $0.derived] }) }
}
