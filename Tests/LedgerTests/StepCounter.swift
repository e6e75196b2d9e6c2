import GRDBSQLite
import Synchronization

/// Counts what SQLite does to the files of a folder, on any connection: the ledger's own too.
///
/// A step is one instruction of SQLite's virtual machine. A page is one look at a page of the file, in memory or not. Both
/// depend on the statements and the rows alone, and so they are the same in every run.
enum StepCounter {
  /// What was counted.
  struct Count: Equatable {
    var steps = 0
    var pages = 0
  }

  private static let counts = Mutex<[String: Count]>([:])

  /// Begins to count for a file. Connections that are open already are not counted.
  static func watch(_ path: String) {
    _ = isInstalled
    counts.withLock { $0[path] = Count() }
  }

  /// What happened to a file since the last call.
  static func take(_ path: String) -> Count {
    counts.withLock { counts in
      defer { counts[path] = Count() }
      return counts[path] ?? Count()
    }
  }

  private typealias EntryPoint =
    @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, UnsafeRawPointer?
    ) -> Int32

  /// SQLite calls this for every connection of the process that is opened from now on.
  private static let isInstalled: Bool = {
    let begin: EntryPoint = { connection, _, _ in
      guard let path = StepCounter.path(connection), StepCounter.counts.withLock({ $0[path] != nil }) else {
        return SQLITE_OK
      }
      return sqlite3_trace_v2(connection, UInt32(SQLITE_TRACE_PROFILE), StepCounter.note, nil)
    }
    return sqlite3_auto_extension(unsafeBitCast(begin, to: (@convention(c) () -> Void).self)) == SQLITE_OK
  }()

  /// Called at the end of each statement.
  private static let note:
    @convention(c) (UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32 = {
      _, _, statement, _ in
      let statement = statement.map { OpaquePointer($0) }
      let connection = sqlite3_db_handle(statement)
      guard let path = StepCounter.path(connection) else { return 0 }
      let steps = Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1))
      var pages = 0
      for kind in [SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS] {
        var (now, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(connection, kind, &now, &highest, 1)
        pages += Int(now)
      }
      StepCounter.counts.withLock { counts in
        counts[path]?.steps += steps
        counts[path]?.pages += pages
      }
      return 0
    }

  private static func path(_ connection: OpaquePointer?) -> String? {
    sqlite3_db_filename(connection, "main").map { String(cString: $0) }
  }
}
