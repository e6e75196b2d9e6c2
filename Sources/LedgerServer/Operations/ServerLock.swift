internal import Foundation
internal import Ledger

/// The lock of the one server of a file. Programs that read the file or import into it do not need it.
///
/// It is on a file of its own beside the ledger: closing another handle of the ledger's file would release SQLite's locks.
struct ServerLock {
  private let handle: Int32

  /// Takes the lock of a ledger's file.
  /// - Throws: ``LedgerError``: `busy` when another server has it, `cannot_create` when its file cannot be created.
  init(_ path: String) throws {
    // Two names of one file are one ledger.
    let path =
      realpath(path, nil).map { name in
        defer { free(name) }
        return String(cString: name)
      } ?? path
    handle = open(path + "-server", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard handle >= 0 else {
      throw LedgerError(
        .cannotCreate, "\(path)-server cannot be created: \(String(cString: strerror(errno))).",
        "Check that you have permission to write in the folder.")
    }
    guard flock(handle, LOCK_EX | LOCK_NB) == 0 else {
      close(handle)
      throw LedgerError(.busy, "Another server has \(path).", "Stop it first, or name another file.")
    }
  }

  func release() { close(handle) }
}
