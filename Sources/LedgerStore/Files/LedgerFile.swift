internal import Foundation
package import GRDB
internal import GRDBSQLite
package import LedgerSchema

/// Opens the file of a ledger. It checks that the file is a ledger of a known version. For recording, it also upgrades
/// the file.
package enum LedgerFile {
  package static func configuration(
    isReadOnly: Bool, _ busyTimeout: BusyTimeout = BusyTimeout(LedgerRecorder.defaultBusyTimeout)
  ) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    // The recorder refers only to rows that it has just found or inserted, and an audit finds missing rows. A second
    // check for every row would only cost time.
    configuration.foreignKeysEnabled = isReadOnly
    configuration.busyMode = .callback { busyTimeout.waitForNextCheck($0) }
    configuration.publicStatementArguments = false
    configuration.maximumReaderCount = 1
    return configuration
  }

  /// Refuses a path that does not name a file on disk.
  /// - Throws: ``LedgerError`` with `refused_text`.
  static func requirePath(_ path: String) throws {
    guard !path.isEmpty, path != ":memory:", !path.hasPrefix("file:") else {
      throw LedgerError(.refusedText, "'\(path)' is not the path of a file.", .nameAnotherFile)
    }
  }

  /// Refuses a path that cannot be a ledger's. Reading a pipe would wait for ever. For a link to a missing file, SQLite
  /// would create a file that others can read.
  /// - Throws: ``LedgerError``: `not_a_database` when it is not a plain file, `cannot_create` for a link to a missing
  ///   file.
  package static func requirePlainFile(_ path: String) throws {
    var status = stat()
    if stat(path, &status) != 0, lstat(path, &status) == 0 { throw LedgerError.danglingLink(path) }
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw LedgerError(.notADatabase, "\(path) is not a plain file.", "Name the ledger's file.")
  }

  /// Stops GRDB's record of what each statement reads and writes. The ledger does not use the record, and it costs a
  /// fifth of the time to prepare a statement. Call this after the schema is made, because GRDB learns of new tables
  /// through it.
  package static func stopTracking(_ database: Database) { sqlite3_set_authorizer(database.sqliteConnection, nil, nil) }

  /// Runs a closure in a transaction that writes, when it is the program's turn.
  /// - Throws: ``LedgerError`` with `busy` after the timeout, and the errors of `body`.
  static func inTransaction(
    _ database: Database, _ path: String, _ busyTimeout: BusyTimeout,
    _ body: () throws -> Database.TransactionCompletion
  ) throws {
    var turn: WriteTurn? = try WriteTurn(of: path, busyTimeout)
    try database.inTransaction(.immediate) {
      // The next program may have its turn now that the transaction has begun.
      _ = turn.take()
      return try body()
    }
  }

  /// A file that is open for recording.
  struct RecordingFile {
    let queue: DatabaseQueue
    let sealer: Sealer
    let authorizer: WriteAuthorizer
    /// The version of the file's schema, or `nil` when another program changed it during opening.
    let schemaVersion: Int?
  }

  static func openForRecording(
    path: String, _ busyTimeout: BusyTimeout, _ version: Schema.Version = .current,
    progress: (UpgradeProgress) -> Void = { _ in }
  ) throws -> RecordingFile {
    let lock = try FolderLock(around: path, busyTimeout)
    defer { lock.release() }
    // Receipts are people's data, so only the owner may read the file. An existing file is never overwritten.
    try FolderLock.makeFile(path)
    // Another program may have replaced the file since the first check.
    try requirePlainFile(path)
    var status = stat()
    if stat(path, &status) == 0, status.st_size == 0 { chmod(path, 0o600) }
    let queue = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: false, busyTimeout))
    let (sealer, authorizer, number) = try queue.writeWithoutTransaction { database in
      try checkIdentity(database, path: path, mayBeEmpty: true, version)
      // The application id is set first. If the program is interrupted after that, the next start recognises the file
      // as a ledger and continues.
      if try Int32.fetchOne(database, sql: "PRAGMA application_id") != Schema.applicationID {
        try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
      }
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
      // Digests are random, so they touch pages all over their indexes. A large cache and rare checkpoints let SQLite
      // write a page once for many rows. Every commit is still on disk when it returns.
      try database.execute(sql: "PRAGMA cache_size = -49152; PRAGMA wal_autocheckpoint = 65536;")
      let (sealer, authorizer) = try broughtUpToDate(database, path, version, progress)
      let number = try Schema.version(database)
      try SchemaAudit(database, version).requireUnaltered(path)
      return (sealer, authorizer, try Schema.version(database) == number ? number : nil)
    }
    return RecordingFile(queue: queue, sealer: sealer, authorizer: authorizer, schemaVersion: number)
  }

  /// Runs the missing migrations and everything that depends on them in one transaction. If it is interrupted, the file
  /// stays as it was, and the program that made it can still use it.
  private static func broughtUpToDate(
    _ database: Database, _ path: String, _ version: Schema.Version, _ progress: (UpgradeProgress) -> Void
  ) throws -> (Sealer, WriteAuthorizer) {
    let isPresent =
      try Schema.isComplete(database, version) && !Schema.shouldGenerate(database)
      && !(Schema.hasCurrentAnswers(database) && ProjectionUpdater.areEmpty(database))
    var authorizer: WriteAuthorizer?
    if isPresent {
      if let newer = try Schema.newerProgramVersion(database) { progress(.keepingViews(of: newer)) }
      authorizer = try prepareForRecording(database)
    } else {
      try database.inTransaction(.immediate) {
        // A new file takes too little time for progress reports.
        let isNew = try Schema.applied(database).isEmpty
        try Schema.migrate(database, to: version) { if !isNew { progress(.migrating(number: $0, count: $1)) } }
        // The check is inside the transaction, so that anything that a foreign trigger has done is rolled back too.
        try SchemaAudit(database, version).requireUnaltered(path)
        let made = try prepareForRecording(database)
        authorizer = made
        if try ProjectionUpdater.areEmpty(database) {
          try ProjectionUpdater.rebuild(ProjectionTransaction(database, made)) {
            progress(.deriving(done: $0, count: $1))
          }
        }
        return .commit
      }
    }
    guard let authorizer else { throw LedgerError(.cannotWrite, "The schema of \(path) could not be upgraded.") }
    return (try Sealer(database, boundTables: EvidenceStatement.boundTables), authorizer)
  }

  /// Creates the temporary views that recording reads.
  private static func prepareForRecording(_ database: Database) throws -> WriteAuthorizer {
    let authorizer = try WriteAuthorizer(database)
    var temporaryViews = try ReadConnection.prepare(database, .some)
    try Schema.createTemporaryViews(["customer_original_transaction"], on: database, temporaryViews: &temporaryViews)
    try ProjectionUpdater.prepare(database, temporaryViews: &temporaryViews)
    return authorizer
  }

  package static func openForReading(path: String) throws -> DatabaseQueue {
    let queue = try openForCopying(path: path)
    try queue.writeWithoutTransaction { database in
      guard try Schema.isComplete(database) else {
        throw LedgerError(
          .olderSchema, "\(path) was written by an older version of subledger, or its creation was interrupted.",
          "Import anything into the file. An import brings it up to date.")
      }
      stopTracking(database)
    }
    return queue
  }

  /// Opens a ledger of this version or an older one, to copy and check it without changes.
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - keepsTransactions: whether one transaction may stay open over many uses of the connection.
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
      // A program was interrupted while it wrote. A connection that may write rolls its unfinished work back.
      let writer = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: false))
      _ = try writer.writeWithoutTransaction { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_schema") }
      try writer.close()
      return try opened()
    }
  }

  /// Refuses files that are not ledgers, ledgers of an obsolete format, and ledgers of a newer program.
  /// - Throws: ``LedgerError``: `not_a_ledger`, `obsolete_format` or `newer_schema`.
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
        .notALedger, "\(path) is a SQLite database, but it is not a ledger.", .nameAnotherFile)
    }
    guard try !Schema.isObsolete(database) else {
      throw LedgerError(
        .obsoleteFormat, "\(path) was written by a version of subledger before 1.0, whose tables are no longer read.",
        "Import the payloads into a new file.")
    }
    guard try mayBeNewer || !Schema.isSuperseded(database, version) else {
      throw LedgerError(
        .newerSchema, "\(path) was written by a newer version of subledger.", "Use that version, or a later one.")
    }
  }
}
