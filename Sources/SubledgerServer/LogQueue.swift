import Dispatch
import Foundation
import Synchronization

/// Writes lines to a file on a thread of its own. A line never blocks or ends the server: when the file cannot be
/// written, or when its reader is too slow, lines are dropped and counted.
final class LogQueue: Sendable {
  /// The greatest number of lines that wait.
  static let limit = 1000

  private struct State {
    var waitingCount = 0
    var droppedCount: Int64 = 0
    /// Whether the file has only a part of the last line.
    var isTorn = false
  }

  private let file: Int32
  private let queue = DispatchQueue(label: "subledger.log", qos: .utility)
  private let state = Mutex(State())

  /// Creates a queue for an open file.
  init(_ file: Int32) { self.file = file }

  /// The number of lines that were not written.
  var droppedCount: Int64 { state.withLock { $0.droppedCount } }

  /// Writes a line soon. The line has its end.
  func write(_ line: String) {
    let isTaken = state.withLock { state in
      guard state.waitingCount < Self.limit else {
        state.droppedCount += 1
        return false
      }
      state.waitingCount += 1
      return true
    }
    if isTaken { queue.async { self.writeNow(line) } }
  }

  /// Waits until the lines of before are written, but not for long: a reader may have stopped.
  func flush() {
    let isDone = DispatchSemaphore(value: 0)
    queue.async { isDone.signal() }
    _ = isDone.wait(timeout: .now() + 1)
  }

  /// Runs on the queue's thread only, and may block it.
  private func writeNow(_ line: String) {
    // A line after a torn one begins a new line.
    let bytes = Array((state.withLock { $0.isTorn } ? "\n" + line : line).utf8)
    let count = writeAll(bytes)
    state.withLock { state in
      state.waitingCount -= 1
      if count < bytes.count { state.droppedCount += 1 }
      if count > 0 { state.isTorn = count < bytes.count }
    }
  }

  /// Returns how many bytes were written before an error.
  private func writeAll(_ bytes: [UInt8]) -> Int {
    var count = 0
    while count < bytes.count {
      let written = bytes[count...].withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
      if written > 0 {
        count += written
      } else if written < 0, errno == EAGAIN {
        // Somebody made the file non-blocking, for example a terminal that several programs share.
        var descriptor = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        guard poll(&descriptor, 1, -1) > 0 || errno == EINTR else { return count }
        if descriptor.revents & Int16(POLLERR | POLLNVAL | POLLHUP) != 0 { return count }
      } else if written == 0 || errno != EINTR {
        return count
      }
    }
    return count
  }
}
