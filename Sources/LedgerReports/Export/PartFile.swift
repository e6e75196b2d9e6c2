internal import Crypto
internal import Foundation
internal import LedgerSchema
internal import LedgerStore

/// One file of an export: the rows of one relation and one partition, in one format.
final class PartFile {
  /// The key of the original transaction that a written row belongs to, and the row's length in bytes.
  struct Mark {
    let key: Int64
    let length: Int
  }

  private let path: String
  private let header: [UInt8]
  private var handle: Int32 = -1
  private var hash = SHA256()
  /// The buffer for the next rows.
  let row = RowBytes()
  private var rowStart = 0
  private(set) var rowCount = 0
  private(set) var byteCount = 0
  /// The written rows in order; `nil` when no row will be removed again.
  private var marks: [Mark]?

  private static let limit = 1 << 15

  /// Creates the file and writes its header.
  /// - Parameters:
  ///   - header: the first bytes of the file.
  ///   - isMarking: whether ``keep(where:)`` will remove rows.
  init(_ path: String, header: [UInt8], isMarking: Bool) throws {
    (self.path, self.header) = (path, header)
    marks = isMarking ? [] : nil
    try open()
  }

  deinit { if handle >= 0 { close(handle) } }

  private func open() throws {
    unlink(path)
    handle = Foundation.open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard handle >= 0 else { throw LedgerError.cannotWriteExport(path) }
    (hash, byteCount) = (SHA256(), 0)
    row.removeAll()
    row.append(header)
    rowStart = row.count
  }

  /// Ends the row that the buffer contains.
  @inline(__always)
  func endRow(of key: Int64) throws {
    rowCount += 1
    marks?.append(Mark(key: key, length: row.count - rowStart))
    if row.count >= Self.limit { try flush() }
    rowStart = row.count
  }

  private func flush() throws {
    try write(row.bytes)
    row.removeAll()
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws {
    hash.update(bufferPointer: bytes)
    byteCount += bytes.count
    var rest = bytes
    while !rest.isEmpty {
      let written = Foundation.write(handle, rest.baseAddress, rest.count)
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw LedgerError.cannotWriteExport(path) }
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
    }
  }

  /// Removes the rows of all other original transactions.
  func keep(where isIncluded: (Int64) -> Bool) throws {
    try flush()
    guard let marks else { return }
    self.marks = nil
    let source = Foundation.open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw LedgerError.cannotWriteExport(path) }
    defer { close(source) }
    // The new file takes the name. The old one can still be read until it is closed.
    close(handle)
    try open()
    rowCount = 0
    var offset = off_t(header.count)
    var scratch: [UInt8] = []
    for mark in marks {
      if isIncluded(mark.key) {
        if scratch.count < mark.length { scratch = [UInt8](repeating: 0, count: 2 * mark.length) }
        guard pread(source, &scratch, mark.length, offset) == mark.length else {
          throw LedgerError.cannotWriteExport(path)
        }
        scratch.withUnsafeBufferPointer { if let first = $0.baseAddress { row.append(first, mark.length) } }
        try endRow(of: mark.key)
      }
      offset += off_t(mark.length)
    }
  }

  /// Writes everything to disk and closes the file. A file without rows is removed.
  /// - Returns: the SHA-256 digest of the file in hexadecimal digits; `nil` without rows.
  func finish() throws -> String? {
    try flush()
    guard fsync(handle) == 0, close(handle) == 0 else {
      handle = -1
      throw LedgerError.cannotWriteExport(path)
    }
    handle = -1
    if rowCount == 0 {
      unlink(path)
      return nil
    }
    return hash.finalize().hexadecimal
  }
}

extension PartFile {
  /// Writes a file that another program made to disk, readable by its owner only.
  /// - Returns: its size in bytes, and its SHA-256 digest in hexadecimal digits.
  static func secure(_ path: String) throws -> (bytes: Int, sha256: String) {
    let handle = Foundation.open(path, O_RDONLY | O_CLOEXEC)
    guard handle >= 0 else { throw LedgerError.cannotWriteExport(path) }
    defer { close(handle) }
    guard fchmod(handle, 0o600) == 0, fsync(handle) == 0 else { throw LedgerError.cannotWriteExport(path) }
    var (hash, count) = (SHA256(), 0)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let read = Foundation.read(handle, &bytes, bytes.count)
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { throw LedgerError.cannotWriteExport(path) }
      guard read > 0 else { return (count, hash.finalize().hexadecimal) }
      bytes.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<read])) }
      count += read
    }
  }
}

extension LedgerError {
  /// Returns an error for a file of an export that cannot be written. The reason is the system's last error.
  static func cannotWriteExport(_ path: String) -> LedgerError {
    let reason = errno
    let advice =
      switch reason {
      case ENOSPC, EDQUOT: "Free some space and export again. The previous exports are complete."
      case EMFILE, ENFILE: "Raise the limit on open files (ulimit -n), or use fewer partitions."
      case EACCES, EROFS, EPERM: "Check that you may write in the folder, or name another one."
      default: "Check the disk and any limit on the size of files. The previous exports are complete."
      }
    return LedgerError(
      .cannotWrite, "\(path) cannot be written: \(String(cString: strerror(reason))).", .advice(advice))
  }
}
