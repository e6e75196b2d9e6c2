import Foundation

/// A plain file that a command writes, never through a link.
///
/// Somebody who may write in the folder could put a link there. The command would then overwrite another file.
package struct OutputFile {
  private let handle: FileHandle

  /// Opens a file and empties it, or creates it.
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - mode: the permissions of a new file, without those of the user's mask.
  /// - Throws: ``InputError`` with the exit code 73, if something else has this name; `CocoaError` if the system refuses.
  package init(_ path: String, mode: mode_t = 0o644) throws {
    try Self.refuseLink(path)
    // O_NONBLOCK also refuses a pipe without a reader, which would block.
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
    // A private file must also become private if it existed already.
    if mode & 0o077 == 0, fchmod(file, mode) != 0 { throw Self.refuse(path) }
    guard ftruncate(file, 0) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  /// Writes a whole file, and replaces its contents.
  package static func write(_ bytes: some DataProtocol, to path: String, mode: mode_t = 0o644) throws {
    try OutputFile(path, mode: mode).write(bytes)
  }

  /// Appends bytes to the file.
  package func write(_ bytes: some DataProtocol) throws { try handle.write(contentsOf: bytes) }

  /// Throws ``InputError`` with the exit code 73, if the path is a symbolic link.
  package static func refuseLink(_ path: String) throws {
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { throw refuse(path) }
  }

  private static func refuse(_ path: String) -> InputError {
    InputError(
      "\(path) is a link, or is not a plain file with one name. It was not written. Remove it, or name another folder.",
      exitCode: 73)
  }
}
