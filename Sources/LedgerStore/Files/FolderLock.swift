internal import Foundation
internal import LedgerSchema

/// Held while a file is made or its schema brought up to date, so that programs that begin at once take turns.
///
/// The lock is on the folder and not on the file: closing a second handle of the file would let go of SQLite's own
/// locks on it. Where the folder cannot be opened there is no lock, and SQLite says what is wrong.
package struct FolderLock {
  private let handle: Int32

  /// - Throws: ``LedgerError`` where another program holds it for longer than the timeout.
  init(around path: String, _ busyTimeout: BusyTimeout) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    handle = open(folder, O_RDONLY | O_CLOEXEC)
    guard handle >= 0 else { return }
    var tries = 0
    while flock(handle, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK || errno == EINTR {
      guard busyTimeout.waits(tries) else {
        close(handle)
        throw LedgerError.busy(path)
      }
      tries += 1
    }
  }

  /// Makes an empty file for its owner alone, unless there is one.
  /// - Throws: ``LedgerError`` where there is none afterwards.
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
        "Check that its folder exists and that you may write there.")
    }
  }

  /// Lets the next one in.
  func release() { if handle >= 0 { close(handle) } }
}
