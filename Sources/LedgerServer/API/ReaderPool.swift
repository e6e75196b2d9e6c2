internal import Dispatch
internal import Ledger
internal import LedgerService
internal import Synchronization

/// Readers of the ledger, each with connections and a thread of its own, because SQLite blocks its thread.
final class ReaderPool: Sendable {
  /// The greatest number of requests that wait for one reader.
  static let limit = 256

  private struct Place: Sendable {
    let reader: LedgerReader
    let queue: DispatchQueue
  }

  private let places: [Place]
  private let waiting: Mutex<[Int]>

  /// Opens readers of a file.
  /// - Throws: `LedgerError` when the file cannot be read.
  init(path: String, count: Int) throws {
    places = try (0..<count).map {
      Place(
        reader: try LedgerReader(path: path), queue: DispatchQueue(label: "subledger.reader.\($0)", qos: .userInitiated)
      )
    }
    waiting = Mutex(Array(repeating: 0, count: count))
  }

  /// Runs a closure with the reader that has the least to do.
  /// - Throws: ``Problem`` when too many requests wait; the errors of `body`.
  func read<Value: Sendable>(_ body: @escaping @Sendable (LedgerReader) throws -> Value) async throws -> Value {
    let place: Int? = waiting.withLock { waiting in
      guard let least = waiting.indices.min(by: { waiting[$0] < waiting[$1] }), waiting[least] < Self.limit else {
        return nil
      }
      waiting[least] += 1
      return least
    }
    guard let place else { throw Problem.unavailable("too_many_wait", "Too many requests wait. Send it again.") }
    defer { waiting.withLock { $0[place] -= 1 } }
    let chosen = places[place]
    return try await withCheckedThrowingContinuation { done in
      chosen.queue.async { done.resume(with: Result { try body(chosen.reader) }) }
    }
  }

  /// Runs a closure as ``read(_:)`` does, and returns the ledger's sequence number from before the answer too.
  func answer<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerReader) throws -> Value
  ) async throws -> (Int64, Value) {
    try await read { (try $0.sequence(), try body($0)) }
  }

  /// Prepares every reader for its first question, which takes a tenth of a second.
  func warmUp(_ body: @escaping @Sendable (LedgerReader) throws -> Void) {
    for place in places { place.queue.async { try? body(place.reader) } }
  }

  /// Closes the connections of all readers.
  func close() { for place in places { place.queue.sync { place.reader.close() } } }
}
