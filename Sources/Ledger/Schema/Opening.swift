internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// How the file is opened: checked to be ours and of our time, and for recording brought up to date.
extension Ledger {
  /// How long others are waited for, unless a caller says otherwise.
  public static let defaultPatience = Duration.seconds(30)

  static func configuration(isReadOnly: Bool, _ patience: Patience = Patience(defaultPatience)) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    // The recorder refers to rows that it has just found or made, and an audit looks for others: a look at each again,
    // for every row, is not paid for.
    configuration.foreignKeysEnabled = isReadOnly
    configuration.busyMode = .callback { patience.waits($0) }
    configuration.publicStatementArguments = false
    configuration.maximumReaderCount = 1
    return configuration
  }

  /// Refuses what cannot hold a ledger: reading a pipe would wait for ever, and behind a link to a file that is not
  /// there SQLite would make one that others may read.
  static func requirePlainFile(_ path: String) throws {
    var status = stat()
    if stat(path, &status) != 0, lstat(path, &status) == 0 { throw LedgerError.danglingLink(path) }
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw LedgerError(.notADatabase, "\(path) is no plain file.", "Name the ledger's file.")
  }

  /// Stops GRDB's record of what each statement reads and writes: of no use to us, it takes a fifth of the time of preparing
  /// a statement. Not before the schema is made, because GRDB learns from it that there are other tables.
  static func stopTracking(_ database: Database) { sqlite3_set_authorizer(database.sqliteConnection, nil, nil) }

  static func openedForRecording(
    path: String, _ patience: Patience, _ version: Schema.Version = .current,
    progress: (UpgradeProgress) -> Void = { _ in }
  ) throws -> (queue: DatabaseQueue, sealer: Sealer, schemaVersion: Int?) {
    let lock = try FolderLock(around: path, patience)
    defer { lock.release() }
    // Receipts are people's data: the file is made readable by its owner only. It is never made over another.
    try FolderLock.makeFile(path)
    // Somebody may have put something else there since it was first looked at.
    try requirePlainFile(path)
    var status = stat()
    if stat(path, &status) == 0, status.st_size == 0 { chmod(path, 0o600) }
    let queue = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: false, patience))
    let (sealer, number) = try queue.writeWithoutTransaction { database in
      try checkIdentity(database, path: path, mayBeEmpty: true, version)
      // The name first: whatever is interrupted after it is known as ours, and continued.
      if try Int32.fetchOne(database, sql: "PRAGMA application_id") != Schema.applicationID {
        try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
      }
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
      // Digests fall anywhere in their indexes: with room for them, and a log that is moved into the file seldom, a page
      // is written once for many rows. Every commit is still on disk when it returns.
      try database.execute(sql: "PRAGMA cache_size = -49152; PRAGMA wal_autocheckpoint = 65536;")
      let sealer = try broughtUpToDate(database, path, version, progress)
      let number = try Schema.version(database)
      try SchemaAudit(database, version).requireOurs(path)
      return (sealer, try Schema.version(database) == number ? number : nil)
    }
    return (queue, sealer, number)
  }

  /// Takes the missing steps of the schema and all that follows from them as one transaction: interrupted anywhere, the
  /// file is what it was, and the program that made it works on with it.
  private static func broughtUpToDate(
    _ database: Database, _ path: String, _ version: Schema.Version, _ progress: (UpgradeProgress) -> Void
  ) throws -> Sealer {
    let isPresent =
      try Schema.isComplete(database, version) && Schema.hasPresentViews(database)
      && !ProjectionKeeper.areEmpty(database)
    if isPresent {
      try layForRecording(database)
      return try Sealer(database, boundTables: RecordingStep.boundTables)
    }
    var made: Sealer?
    try database.inTransaction(.immediate) {
      // A file that was just made has nothing that takes long.
      let isNew = try Schema.applied(database).isEmpty
      try Schema.migrate(database, to: version) { if !isNew { progress(.migrating(number: $0, count: $1)) } }
      // What a trigger of somebody else's has done meanwhile is taken back with all of it.
      try SchemaAudit(database, version).requireOurs(path)
      try layForRecording(database)
      if try ProjectionKeeper.areEmpty(database) {
        try ProjectionKeeper.rebuild(database) { progress(.deriving(done: $0, count: $1)) }
      }
      made = try Sealer(database, boundTables: RecordingStep.boundTables)
      return .commit
    }
    return try made ?? Sealer(database, boundTables: RecordingStep.boundTables)
  }

  private static func layForRecording(_ database: Database) throws {
    stopTracking(database)
    var laid = try AskingConnection.prepare(database, .lines)
    let needed = [
      "rule_input", "int_transaction_version_interval", "int_known_renewal_info_version",
      "customer_original_transaction",
    ]
    try Schema.lay(needed, on: database, laid: &laid)
  }

  static func openedForAsking(path: String) throws -> DatabaseQueue {
    let queue = try openedForCopying(path: path)
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
  static func openedForCopying(path: String, keepsTransactions: Bool = false) throws -> DatabaseQueue {
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

  /// A connection for looking up what is recorded while others record.
  func knownPayloads() throws -> KnownPayloads {
    do {
      return KnownPayloads(try Self.openedForAsking(path: path))
    } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: false)
    }
  }

  /// Refuses files that are not ours, and files of a newer program.
  static func checkIdentity(
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
        .notALedger, "\(path) is a SQLite database, but not a ledger of subledger.",
        "Name another file with --database.")
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
