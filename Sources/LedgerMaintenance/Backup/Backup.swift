public import AppStore
internal import Foundation
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
public import LedgerStore

/// The contents of a copy of a ledger.
public struct BackupSummary: Sendable, Equatable {
  /// How many payloads the copy contains.
  public var payloads: Int
  /// The last seal of the copy; `nil` when nothing was recorded, or when an old version wrote it before there were
  /// seals.
  public var anchor: Anchor?
  /// The number of tokens of a server that the restoration revoked. Make new ones: some of them may have been revoked
  /// after the backup was made.
  public var revokedTokens = 0
}

/// How a backup relates to the ledger that it would replace.
public enum BackupRelation: Sendable, Equatable {
  /// The backup contains everything that the ledger contains.
  case complete
  /// The ledger continues where the backup ends. This many transactions would be lost.
  case earlier(by: Int64)
  /// Neither continues the other, or their seals do not show it.
  case unrelated
}

/// The progress of a backup or of a restoration.
public enum CopyProgress: Sendable, Equatable {
  /// The share of the pages that is copied, from 0 to 1.
  case copying(share: Double)
  /// The share of the current check of the copy, from 0 to 1; `nil` when it is not known.
  case checking(share: Double?)
  /// The share of the pages that is written over the ledger, from 0 to 1.
  case replacing(share: Double)
}

extension LedgerReader {
  /// Copies the ledger as it is now into one plain file that only its owner can read. Others may record meanwhile.
  /// Before the copy gets its name, it is checked: SQLite's structure, references, the schema, the chain of seals.
  /// - Parameters:
  ///   - file: the path of the backup. It must not be a folder, a link or a device.
  ///   - isReplacing: whether to replace a file that has this name.
  ///   - progress: called often, one call at a time, on any thread.
  /// - Returns: the contents of the backup.
  /// - Throws: `LedgerError` with `damaged` when the ledger itself has an error, or `cannotCreate` when the file
  ///   cannot be created.
  public func backUp(
    to file: String, isReplacing: Bool = false, progress: @escaping @Sendable (CopyProgress) -> Void = { _ in }
  ) throws -> BackupSummary {
    let kind = try Backup.kind(of: file)
    if Backup.isSameFile(file, path) {
      throw LedgerError(.cannotCreate, "\(file) is the ledger itself.", "Name another file.")
    }
    guard kind == .none || isReplacing else { throw LedgerError.wouldReplace(file) }
    for ending in CheckedCopy.sideFiles where FileManager.default.fileExists(atPath: file + ending) {
      throw LedgerError(
        .cannotCreate, "\(file)\(ending) belongs to another file. SQLite would read it into the backup.",
        "Move it away, or name another file.")
    }
    let copy = try CheckedCopy(of: path, for: file, progress: progress)
    let summary = try Backup.summary(of: copy.path)
    try copy.take(file, isReplacing: isReplacing)
    return summary
  }
}

/// Restores backups, and compares them with ledgers. A backup is one plain file.
public enum Backup {
  fileprivate enum FileKind { case none, plain }

  /// Returns whether there is a plain file at a path.
  /// - Throws: `LedgerError` when a folder, a link or a device is there, or when the name is one of SQLite's own.
  fileprivate static func kind(of path: String) throws -> FileKind {
    guard !CheckedCopy.sideFiles.contains(where: path.hasSuffix) else {
      throw LedgerError(.cannotCreate, "\(path) has a name that SQLite gives to its own files.", "Name another file.")
    }
    var status = stat()
    guard lstat(path, &status) == 0 else { return .none }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw LedgerError(.cannotCreate, "\(path) exists, and is not a plain file.", "Name another file.")
    }
    return .plain
  }

  fileprivate static func isSameFile(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_ino == second.st_ino
      && first.st_dev == second.st_dev
  }

  /// Restores a backup as the ledger at a path. It copies the backup and checks the copy first. An existing ledger gets
  /// the new contents in one transaction, so that other programs see either the old or the new state. All tokens of a
  /// server are revoked, and its change feed begins another run.
  /// - Parameters:
  ///   - file: the path of a backup, of this version or an older one.
  ///   - path: the path of the ledger.
  ///   - isReplacing: whether to replace an existing ledger. A file that cannot be opened is kept under another name.
  ///   - now: the present instant, for the revocation of tokens.
  ///   - busyTimeout: how long to wait for another program that holds the ledger.
  ///   - progress: called often, one call at a time, on any thread.
  /// - Returns: the contents of the restored ledger.
  /// - Throws: `LedgerError` with `noSuchFile`, `busy` or `cannotWrite`. With `damaged` when the backup has an error.
  ///   With `cannotCreate` when a ledger is there and may not be replaced.
  public static func restore(
    _ file: String, to path: String, isReplacing: Bool = false, at now: Instant,
    busyTimeout: Duration = LedgerRecorder.defaultBusyTimeout,
    progress: @escaping @Sendable (CopyProgress) -> Void = { _ in }
  ) throws -> BackupSummary {
    guard FileManager.default.fileExists(atPath: file) else {
      throw LedgerError(.noSuchFile, "No backup exists at \(file).", .nameAnotherFile)
    }
    try LedgerFile.requirePlainFile(file)
    let isThere = try kind(of: path) == .plain
    if isThere, !isReplacing { throw LedgerError.wouldReplace(path) }
    let copy = try checkedCopy(of: file, for: path, progress: progress)
    let revokedTokens = try copy.resetServerState(at: now)
    var summary = try summary(of: copy.path)
    summary.revokedTokens = revokedTokens
    if isThere, try exchange(path, for: copy, BusyTimeout(busyTimeout), progress: { progress(.replacing(share: $0)) }) {
      return summary
    }
    // The log of a removed ledger may still be there. SQLite would read it into the restored one.
    try setAside(path)
    try copy.take(path, isReplacing: false)
    return summary
  }

  /// Copies a backup, and checks the copy.
  private static func checkedCopy(
    of file: String, for path: String, progress: @escaping @Sendable (CopyProgress) -> Void
  ) throws -> CheckedCopy {
    do {
      return try CheckedCopy(of: file, for: path, progress: progress)
    } catch let error as LedgerError where [.damaged, .notADatabase].contains(error.code) {
      // The usual advice is to restore a backup, and this is one.
      throw LedgerError(error.code, error.message, "Nothing was restored. Restore another backup.")
    }
  }

  /// Writes a copy over a ledger, in one transaction.
  /// - Returns: `false` when the existing file cannot be opened as a database.
  private static func exchange(
    _ path: String, for copy: CheckedCopy, _ busyTimeout: BusyTimeout, progress: (Double) -> Void
  ) throws -> Bool {
    do {
      let target = try DatabaseQueue(
        path: path, configuration: LedgerFile.configuration(isReadOnly: false, busyTimeout))
      defer { try? target.close() }
      try target.writeWithoutTransaction { database in
        try LedgerFile.checkIdentity(database, path: path, mayBeEmpty: true, mayBeNewer: true)
        // SQLite ignores an interrupted log. With a journal, the next program that opens the file would have to roll it
        // back.
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        try database.execute(sql: "BEGIN IMMEDIATE; COMMIT")
      }
      let source = try LedgerFile.openForCopying(path: copy.path)
      defer { try? source.close() }
      try source.read { database in
        try target.writeWithoutTransaction { try database.copyPages(to: $0, progress: progress) }
      }
      return true
    } catch let error as DatabaseError where [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode) {
      return false
    } catch let error as DatabaseError {
      throw LedgerError(error, path: path, isWriting: true)
    }
  }

  /// Renames the files of a ledger. Its log goes first, because SQLite would read it into another file of that name.
  private static func setAside(_ path: String) throws {
    let name = "\(path).damaged-\(UUID().uuidString.prefix(8))"
    for ending in CheckedCopy.sideFiles + [""] where FileManager.default.fileExists(atPath: path + ending) {
      guard rename(path + ending, name + ending) == 0 else {
        throw LedgerError(
          .cannotWrite, "\(path)\(ending) cannot be moved away.", "Move it away yourself, and restore again.")
      }
    }
  }

  /// Returns how a backup relates to the ledger at a path, by their chains of seals.
  /// - Throws: `LedgerError` when the backup cannot be read.
  public static func relation(of file: String, to path: String) throws -> BackupRelation {
    try LedgerFile.requirePlainFile(file)
    guard let end = try looking(at: file, lastAnchor) else { return .unrelated }
    let found = try? looking(at: path) { database -> (mine: Int64, last: Int64)? in
      guard let mine = try Anchor.read(database, "WHERE digest = ?", [end.digest.data]) else { return nil }
      return try lastAnchor(database).map { (mine.seal, $0.seal) }
    }
    guard let found = found.flatMap(\.self) else { return .unrelated }
    return found.last == found.mine ? .complete : .earlier(by: found.last - found.mine)
  }

  fileprivate static func summary(of file: String) throws -> BackupSummary {
    try looking(at: file) { database in
      BackupSummary(
        payloads: try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM payload") ?? 0,
        anchor: try lastAnchor(database))
    }
  }

  /// Returns the last seal; `nil` also for a file from before there were seals.
  private static func lastAnchor(_ database: Database) throws -> Anchor? {
    try database.hasTable("seal") ? Anchor.read(database, "ORDER BY seal_id DESC LIMIT 1") : nil
  }

  /// Reads a file that an older version may have written.
  private static func looking<Value>(at file: String, _ body: (Database) throws -> Value) throws -> Value {
    try LedgerError.wrapping(file, isWriting: false) {
      let queue = try LedgerFile.openForCopying(path: file)
      defer { try? queue.close() }
      return try queue.read(body)
    }
  }
}
