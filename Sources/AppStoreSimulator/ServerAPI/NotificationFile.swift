import Foundation
import Synchronization

/// The file of the notifications that a local App Store has signed. A signature cannot be made twice, and Apple sends the
/// same text again; so each text is kept, but not in memory.
public final class NotificationFile: Sendable {
  /// Where a text is in the file.
  struct TextRange: Sendable {
    let offset: Int64
    let count: Int
  }

  private let descriptor: Int32
  private let length = Mutex<Int64>(0)

  /// Creates the file of notifications, in place of an earlier one.
  /// - Parameter path: the path of the file; `nil` for one that has no name and ends with this object.
  /// - Throws: `CocoaError` where the file cannot be written.
  public init(_ path: String?) throws {
    let name = path ?? NSTemporaryDirectory() + "/subledger-notifications-" + UUID().uuidString
    descriptor = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: name]) }
    if path == nil { unlink(name) }
  }

  deinit { close(descriptor) }

  /// Adds a line, and returns where a part of it is.
  /// - Parameters:
  ///   - head: the beginning of the line.
  ///   - text: the part to find again.
  ///   - tail: the end of the line, with its newline.
  /// - Throws: `CocoaError` where the disk is full.
  func append(_ head: [UInt8], _ text: [UInt8], _ tail: [UInt8]) throws -> TextRange {
    let line = head + text + tail
    return try length.withLock { length in
      var written = 0
      while written < line.count {
        let count = line[written...].withUnsafeBytes {
          pwrite(descriptor, $0.baseAddress, $0.count, off_t(length) + off_t(written))
        }
        guard count > 0 else { throw CocoaError(.fileWriteUnknown) }
        written += count
      }
      defer { length += Int64(line.count) }
      return TextRange(offset: length + Int64(head.count), count: text.count)
    }
  }

  /// Returns a text that was added.
  /// - Throws: `CocoaError` where the file was cut.
  func text(at range: TextRange) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var read = 0
    while read < bytes.count {
      let count = bytes[read...].withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(range.offset) + off_t(read))
      }
      guard count > 0 else { throw CocoaError(.fileReadUnknown) }
      read += count
    }
    return bytes
  }
}
