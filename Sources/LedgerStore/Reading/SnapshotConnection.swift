package import GRDB
internal import LedgerSchema

/// Connections that see a file in one state until they are closed, even while other programs record.
package enum SnapshotConnection {
  /// Opens the file and begins a read transaction.
  package static func open(_ path: String) throws -> DatabaseQueue {
    let queue = try LedgerFile.openForCopying(path: path, keepsTransactions: true)
    try queue.writeWithoutTransaction { database in
      LedgerFile.stopTracking(database)
      // A slice is small, and the file is read in the order of its rows. So few pages are needed twice.
      try database.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384")
      try database.execute(sql: "BEGIN")
      _ = try Int64.fetchOne(database, sql: "SELECT COUNT(*) FROM main.sqlite_master")
    }
    return queue
  }

  /// Returns the number of the last seal, which identifies a state of the evidence. `nil` means that nothing was
  /// recorded.
  static func state(_ database: Database) throws -> Int64? {
    guard try database.hasTable("seal") else { return nil }
    return try Int64.fetchOne(database, sql: "SELECT MAX(seal_id) FROM main.seal")
  }

  /// Opens several connections that see the same state as another connection.
  /// - Returns: the connections, or `nil` when another program has just recorded something.
  package static func open(_ count: Int, _ path: String, besides database: Database) throws -> [DatabaseQueue]? {
    let state = try state(database)
    var queues: [DatabaseQueue] = []
    for _ in 0..<count {
      let queue = try open(path)
      queues.append(queue)
      if try queue.unsafeRead(Self.state) != state {
        close(queues)
        return nil
      }
    }
    return queues
  }

  package static func close(_ queues: [DatabaseQueue]) {
    for queue in queues {
      try? queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
      try? queue.close()
    }
  }
}
