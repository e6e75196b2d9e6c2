internal import Foundation
internal import GRDB

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
      let pairs = try (0..<count).map { _ in
        Pair(kept: try SnapshotConnection.open(path), derived: try SnapshotConnection.open(path))
      }
      let states = try pairs.flatMap { pair in
        try [pair.kept, pair.derived].map { try $0.unsafeRead(SnapshotConnection.state) }
      }
      if Set(states).count == 1 {
        self.pairs = pairs
        return
      }
      Self.close(pairs)
    }
    // Somebody records all the time: one core sees one state by itself.
    pairs = [Pair(kept: try SnapshotConnection.open(path), derived: try SnapshotConnection.open(path))]
  }

  /// Ends the use of all connections.
  func close() { Self.close(pairs) }

  private static func close(_ pairs: [Pair]) { SnapshotConnection.close(pairs.flatMap { [$0.kept, $0.derived] }) }
}
