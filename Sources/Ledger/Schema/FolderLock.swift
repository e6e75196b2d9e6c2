internal import Foundation

/// Held while a file is made or its schema brought up to date, so that programs that begin at once take turns.
///
/// The lock is on the folder and not on the file: closing a second handle of the file would let go of SQLite's own
/// locks on it. Where the folder cannot be opened there is no lock, and SQLite says what is wrong.
struct FolderLock {
  private let handle: Int32

  init(around path: String) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    handle = open(folder, O_RDONLY)
    if handle >= 0 { _ = flock(handle, LOCK_EX) }
  }

  /// Makes an empty file for its owner alone, unless there is one.
  /// - Returns: whether there is one now.
  static func makeFile(_ path: String) -> Bool {
    let file = open(path, O_CREAT | O_EXCL | O_RDWR, 0o600)
    if file >= 0 { close(file) }
    return file >= 0 || errno == EEXIST
  }

  /// Lets the next one in.
  func release() { if handle >= 0 { close(handle) } }
}
