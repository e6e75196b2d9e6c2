internal import Foundation
internal import LedgerSchema

/// The turn of a program to write: while it waits for the file, no other program begins to write.
///
/// SQLite's lock has no order of waiting, and an importer takes it again at once after each batch. So each writer first
/// locks the file beside the ledger with the ending `-lock`, then begins its transaction, then releases the lock. A
/// program that waits for the transaction of another has the lock, so the other one waits before its next transaction.
///
/// SQLite's own lock protects the file; this one only orders those that wait. If its file cannot be opened, writers have
/// no order.
package struct WriteTurn: ~Copyable {
  /// The ending of the file that is locked. It is empty, and stays beside the ledger.
  package static let ending = "-lock"

  private var handle: Int32

  /// Waits until no other program waits to write.
  /// - Throws: ``LedgerError`` with `busy` when others wait for longer than the timeout.
  init(of path: String, _ busyTimeout: BusyTimeout) throws {
    var status = stat()
    // Each program that may write the ledger may lock the file.
    let mode = stat(path, &status) == 0 ? status.st_mode & 0o666 : 0o600
    handle = open(path + Self.ending, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode)
    guard handle >= 0 else { return }
    guard FolderLock.lock(handle, busyTimeout) else {
      close(handle)
      handle = -1
      throw LedgerError.busy(path)
    }
  }

  /// Lets the next program have its turn.
  deinit { if handle >= 0 { close(handle) } }
}
