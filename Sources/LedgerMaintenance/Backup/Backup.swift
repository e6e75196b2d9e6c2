internal import AppStore
internal import Foundation
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
public import LedgerStore

/// What a copy of a ledger holds.
public struct BackupSummary: Sendable, Equatable {
  /// How many payloads.
  public var payloads: Int
  /// The end of its chain of seals; `nil` where nothing was recorded yet, or by a version from before there were seals.
  public var anchor: Anchor?
}

/// Of a ledger in whose place a backup would be put: how the two belong together.
public enum BackupRelation: Sendable, Equatable {
  /// The backup has all that the ledger has.
  case complete
  /// The ledger goes on where the backup ends: so many transactions would be lost.
  case earlier(by: Int64)
  /// The one is no continuation of the other, or that cannot be told.
  case unrelated
}

/// How far a backup or a restoration is.
public enum CopyProgress: Sendable, Equatable {
  /// The share of the pages that is copied, from 0 to 1.
  case copying(share: Double)
  /// The copy is being checked; the share of this check, from 0 to 1, `nil` where it is not known.
  case checking(share: Double?)
  /// The share of the pages that is written over the ledger, from 0 to 1.
  case replacing(share: Double)
}

extension LedgerReader {
  /// Copies the ledger as it is at this moment into one plain file, for its owner alone, while others go on recording; and
  /// checks the copy before it gets its name: SQLite's structure, references, the schema, the chain of seals.
  /// - Parameters:
  ///   - file: a path. Nothing is written over, unless that is asked for; and never what is no plain file.
  ///   - isReplacing: whether a file of this name may be there, and is lost.
  ///   - progress: called often, one call at a time, on any thread.
  /// - Throws: ``LedgerError``; with `damaged` where the ledger itself is not sound.
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
        .cannotCreate, "\(file)\(ending) lies beside, and belongs to another file: it would be read into the backup.",
        "Move it away, or name another file.")
    }
    let copy = try CheckedCopy(of: path, for: file, progress: progress)
    let summary = try Backup.summary(of: copy.path)
    try copy.take(file, isReplacing: isReplacing)
    return summary
  }
}

/// Backups: one plain file each, checked.
public enum Backup {
  fileprivate enum FileKind { case none, plain }

  /// What is at a path.
  /// - Throws: ``LedgerError`` where that is a folder, a link or a device, or SQLite's own beside another file.
  fileprivate static func kind(of path: String) throws -> FileKind {
    guard !CheckedCopy.sideFiles.contains(where: path.hasSuffix) else {
      throw LedgerError(.cannotCreate, "\(path) has a name that SQLite gives to its own files.", "Name another file.")
    }
    var status = stat()
    guard lstat(path, &status) == 0 else { return .none }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw LedgerError(.cannotCreate, "\(path) is there, and is no plain file.", "Name another file.")
    }
    return .plain
  }

  fileprivate static func isSameFile(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_ino == second.st_ino
      && first.st_dev == second.st_dev
  }

  /// Puts a backup in a ledger's place: it is copied and checked first. Where a ledger is there already, its contents are
  /// exchanged in one transaction, so that programs which have it open see the one or the other.
  /// - Parameters:
  ///   - file: a backup, of this version or an older one.
  ///   - path: the ledger's path.
  ///   - isReplacing: whether a ledger may be there, and is lost. What cannot even be opened is kept beside it.
  ///   - busyTimeout: how long to wait for another program that holds the ledger.
  ///   - progress: called often, one call at a time, on any thread.
  /// - Throws: ``LedgerError``.
  public static func restore(
    _ file: String, to path: String, isReplacing: Bool = false, busyTimeout: Duration = LedgerRecorder.defaultBusyTimeout,
    progress: @escaping @Sendable (CopyProgress) -> Void = { _ in }
  ) throws -> BackupSummary {
    guard FileManager.default.fileExists(atPath: file) else {
      throw LedgerError(.noSuchFile, "There is no backup at \(file).", .nameAnotherFile)
    }
    try LedgerFile.requirePlainFile(file)
    let isThere = try kind(of: path) == .plain
    if isThere, !isReplacing { throw LedgerError.wouldReplace(path) }
    let copy = try CheckedCopy(of: file, for: path, progress: progress)
    let summary = try summary(of: copy.path)
    if isThere, try exchange(path, for: copy, BusyTimeout(busyTimeout), progress: { progress(.replacing(share: $0)) }) {
      return summary
    }
    // Of a ledger that is gone, its log may be left: it must not be read into this one.
    try setAside(path)
    try copy.take(path, isReplacing: false)
    return summary
  }

  /// Writes a copy over a ledger.
  /// - Returns: whether that was possible; else what was there cannot be opened.
  private static func exchange(
    _ path: String, for copy: CheckedCopy, _ busyTimeout: BusyTimeout, progress: (Double) -> Void
  ) throws -> Bool {
    do {
      let target = try DatabaseQueue(path: path, configuration: LedgerFile.configuration(isReadOnly: false, busyTimeout))
      defer { try? target.close() }
      try target.writeWithoutTransaction { database in
        try LedgerFile.checkIdentity(database, path: path, mayBeEmpty: true, mayBeNewer: true)
        // Interrupted, a log is passed over; a journal would have to be played back by whoever opens the file next.
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

  /// Renames what is left of a ledger. Its log goes first: beside another file it would be read into that.
  private static func setAside(_ path: String) throws {
    let name = "\(path).damaged-\(UUID().uuidString.prefix(8))"
    for ending in CheckedCopy.sideFiles + [""] where FileManager.default.fileExists(atPath: path + ending) {
      guard rename(path + ending, name + ending) == 0 else {
        throw LedgerError(
          .cannotWrite, "\(path)\(ending) cannot be moved away.", "Move it away yourself, and restore again.")
      }
    }
  }

  /// How a backup and the ledger at a path belong together, by their chains of seals.
  /// - Throws: ``LedgerError`` where the backup cannot be read.
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

  /// The end of the chain; `nil` also where a file is from before there were seals.
  private static func lastAnchor(_ database: Database) throws -> Anchor? {
    try database.tableExists("seal") ? Anchor.read(database, "ORDER BY seal_id DESC LIMIT 1") : nil
  }

  /// Reads something of a file that may be of an older version.
  private static func looking<Value>(at file: String, _ body: (Database) throws -> Value) throws -> Value {
    do {
      let queue = try LedgerFile.openForCopying(path: file)
      defer { try? queue.close() }
      return try queue.read(body)
    } catch let error as DatabaseError {
      throw LedgerError(error, path: file, isWriting: false)
    }
  }
}
