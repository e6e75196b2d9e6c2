import ArgumentParser
import Foundation

/// A file that a command writes: a plain one, under its own name.
///
/// Whoever may write in the folder could have put a link there, and would have the command write over another file.
struct OutputFile {
  private let handle: FileHandle

  /// Opens a file to write it from its beginning, and makes it where there is none.
  /// - Parameters:
  ///   - path: its path.
  ///   - mode: the permissions of a new file, less the user's mask.
  /// - Throws: an exit code after saying that something else has this name; `CocoaError` where the system refuses.
  init(_ path: String, mode: mode_t = 0o644) throws {
    try Self.refuseLink(path)
    // A pipe that nobody reads is refused too, and not waited for.
    let file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)
    guard file >= 0 else {
      let reason = errno
      if reason == ELOOP || reason == ENXIO { throw Self.refuse(path) }
      throw CocoaError(reason == ENOSPC ? .fileWriteOutOfSpace : .fileWriteNoPermission, userInfo: ["NSFilePath": path])
    }
    handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
      throw Self.refuse(path)
    }
    // What is its owner's alone must be so where the file was there already, too.
    if mode & 0o077 == 0, fchmod(file, mode) != 0 { throw Self.refuse(path) }
    guard ftruncate(file, 0) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  /// Writes a whole file.
  static func write(_ bytes: some DataProtocol, to path: String, mode: mode_t = 0o644) throws {
    try OutputFile(path, mode: mode).write(bytes)
  }

  /// Writes more.
  func write(_ bytes: some DataProtocol) throws { try handle.write(contentsOf: bytes) }

  /// Refuses a path that is a link, wherever it leads.
  static func refuseLink(_ path: String) throws {
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { throw refuse(path) }
  }

  private static func refuse(_ path: String) -> ExitCode {
    Terminal.complain(
      "\(path) is a link, or no plain file of its own, and was not written. Remove it, or name another folder.")
    return ExitCode(73)
  }
}
