internal import Crypto
internal import Foundation
internal import LedgerSchema
internal import LedgerStore

/// One file of an export: rows of one relation and one partition, in one format.
final class PartFile {
  /// A row that was written: whose it is, and how long.
  struct Mark {
    let line: Int64
    let length: Int
  }

  private let path: String
  private let header: [UInt8]
  private var handle: Int32 = -1
  private var hash = SHA256()
  /// What the next rows are written into.
  let row = RowBytes()
  private var rowStart = 0
  private(set) var rowCount = 0
  private(set) var byteCount = 0
  /// The rows in their order, where some of them are to be taken out again.
  private var marks: [Mark]?

  private static let limit = 1 << 15

  /// - Parameters:
  ///   - header: what the file begins with.
  ///   - isMarking: whether rows are to be taken out again with ``keep(where:)``.
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

  /// Ends a row.
  @inline(__always)
  func endRow(of line: Int64) throws {
    rowCount += 1
    marks?.append(Mark(line: line, length: row.count - rowStart))
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

  /// Takes the rows of all other lines out again.
  func keep(where isKept: (Int64) -> Bool) throws {
    try flush()
    guard let marks else { return }
    self.marks = nil
    let source = Foundation.open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw LedgerError.cannotWriteExport(path) }
    defer { close(source) }
    // The name is taken by the file that follows; this one can be read until it is closed.
    close(handle)
    try open()
    rowCount = 0
    var place = off_t(header.count)
    var scratch: [UInt8] = []
    for mark in marks {
      if isKept(mark.line) {
        if scratch.count < mark.length { scratch = [UInt8](repeating: 0, count: 2 * mark.length) }
        guard pread(source, &scratch, mark.length, place) == mark.length else {
          throw LedgerError.cannotWriteExport(path)
        }
        scratch.withUnsafeBufferPointer { if let first = $0.baseAddress { row.append(first, mark.length) } }
        try endRow(of: mark.line)
      }
      place += off_t(mark.length)
    }
  }

  /// Brings everything to disk and closes the file; without rows there is none.
  /// - Returns: the digest of its bytes; `nil` without rows.
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
    return hash.finalize().reduce(into: "") { text, byte in
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
}

extension LedgerError {
  /// Why a file of an export cannot be written, by what the system has just said.
  static func cannotWriteExport(_ path: String) -> LedgerError {
    let reason = errno
    let advice =
      switch reason {
      case ENOSPC, EDQUOT: "Free some space and run the command again: what was exported before is whole."
      case EMFILE, ENFILE: "Raise the limit on open files (ulimit -n), or take fewer partitions."
      case EACCES, EROFS, EPERM: "Check that you may write in the folder, or name another."
      default: "Look at the disk and any limit on the size of files; what was exported before is whole."
      }
    return LedgerError(.cannotWrite, "\(path) cannot be written: \(String(cString: strerror(reason))).", .advice(advice))
  }
}
