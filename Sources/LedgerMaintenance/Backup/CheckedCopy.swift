internal import Foundation
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// A copy of a ledger under a name of its own, until it was checked and takes its place; or gone.
final class CheckedCopy {
  /// Where it is.
  let path: String
  /// Held while the copy is being made: of a copy that nobody holds, whoever made it was interrupted.
  private let lock: Int32

  private static let mark = ".unfinished-"

  /// Copies a file as it is at one moment, while others may record into it, and checks the copy.
  /// - Parameters:
  ///   - source: a ledger, also one of an older version.
  ///   - destination: what the copy is for: it is made beside it, for its owner alone.
  ///   - progress: see ``CopyProgress``.
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
      // In one transaction: it sees one state of the file, and keeps no one from recording.
      try file.read { database in
        _ = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_schema")
        try copy.writeWithoutTransaction { try database.copyPages(to: $0, progress: progress) }
      }
      // One plain file, that can be read where nothing may be written.
      try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    } catch let error as DatabaseError {
      let isOurs = error.resultCode == .SQLITE_FULL || error.resultCode == .SQLITE_IOERR
      throw LedgerError(error, path: isOurs ? path : source, isWriting: isOurs)
    }
  }

  /// Refuses a copy in which anything is wrong that would be wrong in every use of it.
  private func check(_ progress: @escaping @Sendable (CopyProgress) -> Void) throws {
    let finding: AuditFinding?
    do {
      let connections = try AuditConnections(path: path)
      defer { connections.close() }
      // Files from before there were seals have none; and a schema of another version is checked when it was upgraded.
      var run = AuditRun(path: path, connections: connections) { progress(.checking(share: $0.share)) }
      try run.checkCopy()
      finding = run.report.findings.first
    } catch let error as DatabaseError {
      finding = AuditFinding(code: .integrity, place: path, detail: error.message ?? "it cannot be read")
    }
    guard let finding else { return }
    throw LedgerError(
      .damaged,
      "What was copied is not sound (\(finding.code.rawValue): \(finding.place) \(finding.detail)), and was not kept.",
      .audit)
  }

  /// Gives it its name.
  /// - Parameter isReplacing: whether a file of this name may be there, and is lost then.
  func take(_ name: String, isReplacing: Bool) throws {
    // A second name for one file: that fails where there is one already, whoever made it and when.
    let isDone = isReplacing ? rename(path, name) == 0 : link(path, name) == 0
    let reason = errno
    remove()
    guard isDone else {
      if reason == EEXIST { throw LedgerError.wouldReplace(name) }
      throw LedgerError(
        .cannotCreate, "\(name) cannot be created: \(String(cString: strerror(reason))).",
        "Check that its folder exists and that you may write there.")
    }
    // The name is on disk when the folder is.
    let folder = open(URL(fileURLWithPath: name).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }

  /// Takes it away, where it did not get another name.
  func remove() { Self.remove(path) }

  private static func remove(_ path: String) {
    for ending in [""] + sideFiles { unlink(path + ending) }
  }

  /// What SQLite keeps beside a file: part of it, and no part of any other.
  static let sideFiles = ["-journal", "-wal", "-shm"]

  /// Takes away what interrupted copies have left.
  private static func removeLeftovers(for destination: String) {
    let file = URL(fileURLWithPath: destination)
    let folder = file.deletingLastPathComponent().path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.hasPrefix(file.lastPathComponent + mark) {
      guard !sideFiles.contains(where: name.hasSuffix) else { continue }
      // Never through a link, and never waiting for a writer of a pipe.
      let handle = open(folder + "/" + name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard handle >= 0 else { continue }
      if flock(handle, LOCK_EX | LOCK_NB) == 0 { remove(folder + "/" + name) }
      close(handle)
    }
  }
}

extension Database {
  /// Some megabytes: seen by a person as a steady move, and no slower than all at once.
  private static let pagesPerStep: CInt = 2048

  /// Copies all pages of a file.
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
    LedgerError(.cannotCreate, "\(path) is there already, and nothing was written.", .nameAnotherOrReplace)
  }
}
