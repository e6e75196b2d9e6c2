internal import Foundation
package import GRDB
internal import GRDBSQLite
package import LedgerSchema

/// Opens the file of a ledger: it is checked to be ours and of a version that we know, and for recording it is brought up to
/// date.
package enum LedgerFile {
  package static func configuration(
    isReadOnly: Bool, _ busyTimeout: BusyTimeout = BusyTimeout(LedgerRecorder.defaultBusyTimeout)
  ) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    // The recorder refers to rows that it has just found or made, and an audit looks for others: a look at each again,
    // for every row, is not paid for.
    configuration.foreignKeysEnabled = isReadOnly
    configuration.busyMode = .callback { busyTimeout.waits($0) }
    configuration.publicStatementArguments = false
    configuration.maximumReaderCount = 1
    return configuration
  }

  /// Refuses what names no file.
  static func requirePath(_ path: String) throws {
    guard !path.isEmpty, path != ":memory:", !path.hasPrefix("file:") else {
      throw LedgerError(.refusedText, "'\(path)' names no file.", .nameAnotherFile)
    }
  }

  /// Refuses what cannot hold a ledger: reading a pipe would wait for ever, and behind a link to a file that is not
  /// there SQLite would make one that others may read.
  package static func requirePlainFile(_ path: String) throws {
    var status = stat()
    if stat(path, &status) != 0, lstat(path, &status) == 0 { throw LedgerError.danglingLink(path) }
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw LedgerError(.notADatabase, "\(path) is no plain file.", "Name the ledger's file.")
  }

  /// Stops GRDB's record of what each statement reads and writes: of no use to us, it takes a fifth of the time of preparing
  /// a statement. Not before the schema is made, because GRDB learns from it that there are other tables.
  package static func stopTracking(_ database: Database) { sqlite3_set_authorizer(database.sqliteConnection, nil, nil) }

  /// A file that is open for recording.
  struct Opened {
    let queue: DatabaseQueue
    let sealer: Sealer
    let authorizer: WriteAuthorizer
    /// The version of its schema; `nil` when another program changed it meanwhile.
    let schemaVersion: Int?
  }

  static func openForRecording(
    path: String, _ busyTimeout: BusyTimeout, _ version: Schema.Version = .current,
    progress: (UpgradeProgress) -> Void = { _ in }
  ) throws -> Opened {
    let lock = try FolderLock(around: path, busyTimeout)
    defer { lock.release() }
    // Receipts are people's data: the file is made readable by its owner only. It is never made over another.
    try FolderLock.makeFile(path)
    // Somebody may have put something else there since it was first looked at.
    try requirePlainFile(path)
    var status = stat()
    if stat(path, &status) == 0, status.st_size == 0 { chmod(path, 0o600) }
    let queue = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: false, busyTimeout))
    let (sealer, authorizer, number) = try queue.writeWithoutTransaction { database in
      try checkIdentity(database, path: path, mayBeEmpty: true, version)
      // The name first: whatever is interrupted after it is known as ours, and continued.
      if try Int32.fetchOne(database, sql: "PRAGMA application_id") != Schema.applicationID {
        try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
      }
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
      // Digests fall anywhere in their indexes: with room for them, and a log that is moved into the file seldom, a page
      // is written once for many rows. Every commit is still on disk when it returns.
      try database.execute(sql: "PRAGMA cache_size = -49152; PRAGMA wal_autocheckpoint = 65536;")
      let (sealer, authorizer) = try broughtUpToDate(database, path, version, progress)
      let number = try Schema.version(database)
      try SchemaAudit(database, version).requireOurs(path)
      return (sealer, authorizer, try Schema.version(database) == number ? number : nil)
    }
    return Opened(queue: queue, sealer: sealer, authorizer: authorizer, schemaVersion: number)
  }

  /// Takes the missing steps of the schema and all that follows from them as one transaction: interrupted anywhere, the
  /// file is what it was, and the program that made it works on with it.
  private static func broughtUpToDate(
    _ database: Database, _ path: String, _ version: Schema.Version, _ progress: (UpgradeProgress) -> Void
  ) throws -> (Sealer, WriteAuthorizer) {
    let isPresent =
      try Schema.isComplete(database, version) && Schema.hasPresentViews(database)
      && !ProjectionKeeper.areEmpty(database)
    var authorizer: WriteAuthorizer?
    if isPresent {
      authorizer = try prepareForRecording(database)
    } else {
      try database.inTransaction(.immediate) {
        // A file that was just made has nothing that takes long.
        let isNew = try Schema.applied(database).isEmpty
        try Schema.migrate(database, to: version) { if !isNew { progress(.migrating(number: $0, count: $1)) } }
        // What a trigger of somebody else's has done meanwhile is taken back with all of it.
        try SchemaAudit(database, version).requireOurs(path)
        let made = try prepareForRecording(database)
        authorizer = made
        if try ProjectionKeeper.areEmpty(database) {
          try ProjectionKeeper.rebuild(ProjectionTransaction(database, made)) {
            progress(.deriving(done: $0, count: $1))
          }
        }
        return .commit
      }
    }
    guard let authorizer else { throw LedgerError(.cannotWrite, "\(path) could not be brought up to date.") }
    return (try Sealer(database, boundTables: EvidenceStep.boundTables), authorizer)
  }

  /// Lays the views that recording reads.
  private static func prepareForRecording(_ database: Database) throws -> WriteAuthorizer {
    let authorizer = try WriteAuthorizer(database)
    var overlaid = try ReadConnection.prepare(database, .subscriptions)
    let needed = ProjectionKeeper.neededViews + ["customer_original_transaction"]
    try Schema.overlay(needed, on: database, overlaid: &overlaid)
    return authorizer
  }

  package static func openForReading(path: String) throws -> DatabaseQueue {
    let queue = try openForCopying(path: path)
    try queue.writeWithoutTransaction { database in
      guard try Schema.isComplete(database) else {
        throw LedgerError(
          .olderSchema, "\(path) was written by an older version of subledger, or its making was interrupted.",
          "Import something, anything, into it: that brings it up to date.")
      }
      stopTracking(database)
    }
    return queue
  }

  /// A connection to a ledger of this version or an older one, for copying and checking it as it is.
  /// - Parameter keepsTransactions: whether one transaction may last for many uses of the connection.
  package static func openForCopying(path: String, keepsTransactions: Bool = false) throws -> DatabaseQueue {
    func opened() throws -> DatabaseQueue {
      var configuration = configuration(isReadOnly: true)
      configuration.allowsUnsafeTransactions = keepsTransactions
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.writeWithoutTransaction { try checkIdentity($0, path: path, mayBeEmpty: false) }
      return queue
    }
    do {
      return try opened()
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
      // A program was interrupted while it wrote: what it had not finished is taken back by whoever may write.
      let writer = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: false))
      _ = try writer.writeWithoutTransaction { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_schema") }
      try writer.close()
      return try opened()
    }
  }

  /// Refuses files that are not ours, and files of a newer program.
  package static func checkIdentity(
    _ database: Database, path: String, mayBeEmpty: Bool, mayBeNewer: Bool = false,
    _ version: Schema.Version = .current
  ) throws {
    let count = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_schema") ?? 0
    if count == 0, mayBeEmpty { return }
    guard try count > 0 || Int.fetchOne(database, sql: "PRAGMA page_count") != 0 else {
      throw LedgerError(.notALedger, "\(path) is empty.", "Import something into it, or name another file.")
    }
    let identity = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    guard identity == Schema.applicationID else {
      throw LedgerError(
        .notALedger, "\(path) is a SQLite database, but not a ledger of subledger.", .nameAnotherFile)
    }
    guard try !Schema.isObsolete(database) else {
      throw LedgerError(
        .obsoleteFormat, "\(path) was written by a version of subledger before 1.0, whose tables are no longer read.",
        "Import the payloads again, into a new file.")
    }
    guard try mayBeNewer || !Schema.isSuperseded(database, version) else {
      throw LedgerError(
        .newerSchema, "\(path) was written by a newer version of subledger.", "Use that version, or a later one.")
    }
  }
}
