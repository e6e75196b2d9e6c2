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
      let pairs = try (0..<count).map { _ in Pair(kept: try Self.opened(path), derived: try Self.opened(path)) }
      let states = try pairs.flatMap { [try Self.lastSeal($0.kept), try Self.lastSeal($0.derived)] }
      if Set(states).count == 1 {
        self.pairs = pairs
        return
      }
      for pair in pairs { Self.close(pair) }
    }
    // Somebody records all the time: one core sees one state by itself.
    let kept = try Self.opened(path)
    pairs = [Pair(kept: kept, derived: try Self.opened(path))]
  }

  /// Opens the file and begins a transaction that sees it as it is now.
  private static func opened(_ path: String) throws -> DatabaseQueue {
    let queue = try Ledger.openedForCopying(path: path, keepsTransactions: true)
    try queue.writeWithoutTransaction { database in
      Ledger.stopTracking(database)
      // A slice is small, and a file is walked in the order of its rows: little of it is needed twice.
      try database.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384")
      try database.execute(sql: "BEGIN")
      _ = try Int64.fetchOne(database, sql: "SELECT COUNT(*) FROM main.sqlite_master")
    }
    return queue
  }

  private static func lastSeal(_ queue: DatabaseQueue) throws -> Int64? {
    try queue.unsafeRead { database in
      guard try database.tableExists("seal") else { return nil }
      return try Int64.fetchOne(database, sql: "SELECT MAX(seal_id) FROM main.seal")
    }
  }

  private static func close(_ pair: Pair) {
    for queue in [pair.kept, pair.derived] {
      try? queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
      try? queue.close()
    }
  }

  /// Ends the use of all connections.
  func close() {
    for pair in pairs { Self.close(pair) }
  }
}
