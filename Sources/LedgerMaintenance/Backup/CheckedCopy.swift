internal import Foundation
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// A copy of a ledger under a temporary name. It is checked, and then gets its name or is removed.
final class CheckedCopy {
  /// The path of the copy.
  let path: String
  /// Held while the copy is made. A copy without a lock is what an interrupted program left.
  private let lock: Int32

  private static let mark = ".unfinished-"

  /// Copies a file as it is at one moment, and checks the copy. Others may record into the file meanwhile.
  /// - Parameters:
  ///   - source: a ledger, also one that an older version wrote.
  ///   - destination: the path that the copy is for. The copy is made in its folder, and only its owner can read it.
  ///   - progress: called often; see ``CopyProgress``.
  init(
    of source: String, for destination: String, progress: @escaping @Sendable (CopyProgress) -> Void
  ) throws {
    Self.removeLeftovers(for: destination)
    path = "\(destination)\(Self.mark)\(UUID().uuidString.prefix(8))"
    try FolderLock.makeFile(path)
    lock = open(path, O_RDONLY | O_CLOEXEC)
    if lock >= 0 { _ = flock(lock, LOCK_EX | LOCK_NB) }
    do {
      try copy(from: source) { progress(.copying(share: $0)) }
      try check(progress)
    } catch {
      remove()
      throw error
    }
  }

  deinit {
    remove()
    if lock >= 0 { close(lock) }
  }

  private func copy(from source: String, progress: (Double) -> Void) throws {
    do {
      let file = try LedgerFile.openForCopying(path: source)
      defer { try? file.close() }
      let copy = try DatabaseQueue(path: path, configuration: LedgerFile.configuration(isReadOnly: false))
      defer { try? copy.close() }
      // One read transaction sees one state of the file, and blocks nobody who records.
      try file.read { database in
        _ = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_schema")
        try copy.writeWithoutTransaction { try database.copyPages(to: $0, progress: progress) }
      }
      try Self.makePlain(copy)
    } catch let error as DatabaseError {
      let isOurs = error.resultCode == .SQLITE_FULL || error.resultCode == .SQLITE_IOERR
      throw LedgerError(error, path: isOurs ? path : source, isWriting: isOurs)
    }
  }

  /// One plain file without a log can be read in a folder where nothing may be written.
  private static func makePlain(_ copy: DatabaseQueue) throws {
    try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
  }

  /// Makes the copy one plain file again, after a recorder had it.
  func makePlain() throws {
    try LedgerError.wrapping(path, isWriting: true) {
      let copy = try DatabaseQueue(path: path, configuration: LedgerFile.configuration(isReadOnly: false))
      defer { try? copy.close() }
      try Self.makePlain(copy)
    }
  }

  /// Refuses a copy that has an error which matters in every use of it.
  private func check(_ progress: @escaping @Sendable (CopyProgress) -> Void) throws {
    let finding: AuditFinding?
    do {
      let connections = try AuditConnections(path: path)
      defer { connections.close() }
      // A file from before there were seals has none. A schema of an older version is checked after its upgrade.
      var run = AuditRun(path: path, connections: connections) { progress(.checking(share: $0.share)) }
      try run.checkCopy()
      finding = run.report.findings.first
    } catch let error as DatabaseError {
      finding = AuditFinding(code: .integrity, location: path, detail: error.message ?? "it cannot be read")
    }
    guard let finding else { return }
    throw LedgerError(
      .damaged,
      "The copy has an error (\(finding.code.rawValue): \(finding.location) \(finding.detail)), and was removed.",
      .audit)
  }

  /// Gives the copy its name.
  /// - Parameter isReplacing: whether to replace a file that has this name.
  func take(_ name: String, isReplacing: Bool) throws {
    // A hard link fails when the name exists, even if another program created it just now.
    let isDone = isReplacing ? rename(path, name) == 0 : link(path, name) == 0
    let reason = errno
    remove()
    guard isDone else {
      if reason == EEXIST { throw LedgerError.wouldReplace(name) }
      throw LedgerError(
        .cannotCreate, "\(name) cannot be created: \(String(cString: strerror(reason))).",
        "Check that its folder exists and that you may write there.")
    }
    // The name is on disk only when its folder is.
    let folder = open(URL(fileURLWithPath: name).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    defer { if folder >= 0 { close(folder) } }
    guard folder >= 0, fsync(folder) == 0 else {
      throw LedgerError(
        .cannotWrite,
        "\(name) is complete, but its folder cannot be written to disk: \(String(cString: strerror(errno))).",
        "Check the disk, then do it again.")
    }
  }

  /// Removes the copy, unless it got another name.
  func remove() { Self.remove(path) }

  private static func remove(_ path: String) {
    for ending in [""] + sideFiles { unlink(path + ending) }
  }

  /// The endings of the files beside a database. They belong to that database only.
  static let sideFiles = ["-journal", "-wal", "-shm", WriteTurn.ending]

  /// Removes copies that interrupted programs left.
  private static func removeLeftovers(for destination: String) {
    let file = URL(fileURLWithPath: destination)
    let folder = file.deletingLastPathComponent().path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.hasPrefix(file.lastPathComponent + mark) {
      guard !sideFiles.contains(where: name.hasSuffix) else { continue }
      // It never follows a link, and never waits for the writer of a pipe.
      let handle = open(folder + "/" + name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard handle >= 0 else { continue }
      if flock(handle, LOCK_EX | LOCK_NB) == 0 { remove(folder + "/" + name) }
      close(handle)
    }
  }
}

extension Database {
  /// Some megabytes in each step. A person then sees steady progress, and the copy is as fast as in one step.
  private static let pagesPerStep: CInt = 2048

  /// Copies all pages of the database.
  /// - Parameter progress: called often, with the share that is done, from 0 to 1.
  func copyPages(to target: Database, progress: (Double) -> Void) throws {
    try withoutActuallyEscaping(progress) { progress in
      try backup(to: target, pagesPerStep: Self.pagesPerStep) {
        progress(Double($0.completedPageCount) / Double(max(1, $0.totalPageCount)))
      }
    }
  }
}

extension LedgerError {
  static func wouldReplace(_ path: String) -> LedgerError {
    LedgerError(.cannotCreate, "\(path) exists already, and nothing was written.", .nameAnotherOrReplace)
  }
}
