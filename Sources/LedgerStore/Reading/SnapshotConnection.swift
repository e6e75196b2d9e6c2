package import GRDB
internal import LedgerSchema

/// Connections that see a file as it is now until they are closed, also where others record meanwhile.
package enum SnapshotConnection {
  /// Opens the file and begins a transaction.
  package static func open(_ path: String) throws -> DatabaseQueue {
    let queue = try LedgerFile.openForCopying(path: path, keepsTransactions: true)
    try queue.writeWithoutTransaction { database in
      LedgerFile.stopTracking(database)
      // A slice is small, and a file is walked in the order of its rows: little of it is needed twice.
      try database.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384")
      try database.execute(sql: "BEGIN")
      _ = try Int64.fetchOne(database, sql: "SELECT COUNT(*) FROM main.sqlite_master")
    }
    return queue
  }

  /// What tells one state of the evidence from another: its last seal, `nil` where nothing was recorded.
  static func state(_ database: Database) throws -> Int64? {
    guard try database.tableExists("seal") else { return nil }
    return try Int64.fetchOne(database, sql: "SELECT MAX(seal_id) FROM main.seal")
  }

  /// Several connections that see the state that another one sees.
  /// - Returns: `nil` where somebody records just now.
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
