internal import Dispatch
internal import Ledger
internal import LedgerService
internal import LedgerSync
internal import Synchronization

/// One reader of the ledger, with a thread of its own, because SQLite blocks its thread. It is for short queries that
/// come before everything else: is this token valid, is this notification stored already?
final class ReaderThread: LedgerReading {
  /// The greatest number of queries that wait.
  static let limit = 1024

  private let reader: LedgerReader
  private let queue: DispatchQueue
  private let waitingCount = Mutex(0)

  /// Opens a reader of a file.
  /// - Throws: `LedgerError` when the file cannot be read.
  init(path: String, _ name: String) throws {
    reader = try LedgerReader(path: path)
    queue = DispatchQueue(label: "subledger.\(name)", qos: .userInitiated)
  }

  /// Runs a closure with the reader.
  /// - Throws: ``HTTPProblem`` when too many queries wait; the errors of `body`.
  func withReader<Value: Sendable>(_ body: @escaping @Sendable (LedgerReader) throws -> Value) async throws -> Value {
    let hasCapacity = waitingCount.withLock { count in
      guard count < Self.limit else { return false }
      count += 1
      return true
    }
    guard hasCapacity else { throw HTTPProblem.tooManyWait }
    defer { waitingCount.withLock { $0 -= 1 } }
    return try await withCheckedThrowingContinuation { done in
      queue.async { done.resume(with: Result { try body(self.reader) }) }
    }
  }

  /// Closes the connections of the reader.
  func close() { queue.sync { reader.close() } }
}
