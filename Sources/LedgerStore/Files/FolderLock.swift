internal import Foundation
internal import LedgerSchema

/// A lock that a program has while it makes a file or upgrades its schema. So programs that start together do this one
/// after the other.
///
/// The lock is on the folder and not on the file. Closing a second handle of the file would release SQLite's own locks
/// on it. If the folder cannot be opened, nothing is locked, and SQLite reports the problem.
package struct FolderLock {
  private let handle: Int32

  /// Locks the folder of a file.
  /// - Throws: ``LedgerError`` with `busy` when another program has the lock for longer than the timeout.
  init(around path: String, _ busyTimeout: BusyTimeout) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    handle = open(folder, O_RDONLY | O_CLOEXEC)
    guard handle >= 0 else { return }
    guard Self.lock(handle, busyTimeout) else {
      close(handle)
      throw LedgerError.busy(path)
    }
  }

  /// Locks an open file or folder. A file system that knows no such locks does not refuse it.
  /// - Returns: false when another program has the lock for longer than the timeout.
  static func lock(_ handle: Int32, _ busyTimeout: BusyTimeout) -> Bool {
    var tries = 0
    while flock(handle, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK || errno == EINTR {
      guard busyTimeout.waitForNextCheck(tries) else { return false }
      tries += 1
    }
    return true
  }

  /// Creates an empty file that only its owner can read, unless the file exists.
  /// - Throws: ``LedgerError``: `cannot_create` when the file cannot be created; `cannot_write` when no file handle is
  ///   free.
  package static func makeFile(_ path: String) throws {
    let file = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    let reason = errno
    if file >= 0 {
      close(file)
    } else if reason == EMFILE || reason == ENFILE {
      throw LedgerError.noHandles(path, isWriting: true)
    } else if reason != EEXIST {
      throw LedgerError(
        .cannotCreate, "\(path) cannot be created: \(String(cString: strerror(reason))).",
        "Check that its folder exists and that you have permission to write there.")
    }
  }

  /// Releases the lock of the folder.
  func release() { if handle >= 0 { close(handle) } }
}
