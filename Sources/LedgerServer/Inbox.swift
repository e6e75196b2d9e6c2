internal import Dispatch
public import Ledger
internal import Synchronization

/// Records what arrives, durably. Arrivals that wait at the same time share one transaction, and so one flush of the disk.
public final class Inbox: Sendable {
  /// The reason why an arrival was not stored. The sender may send it again.
  public enum Refusal: Error, Sendable {
    /// Too many arrivals wait already.
    case full
    /// The arrival waited for longer than ``Inbox/patience``.
    case late
    /// The server is stopping.
    case closed
    /// The ledger could not be written.
    case failed(LedgerError)
  }

  /// The greatest number of requests that wait for the ledger.
  public static let limit = 64
  /// The longest time that a request waits until its transaction begins.
  public static let patience = Duration.seconds(1)

  private struct Request {
    let arrivals: [Arrival]
    let since: ContinuousClock.Instant
    let done: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var waiting: [Request] = []
    var isRecording = false
    var isClosed = false
    var lastWrite: ContinuousClock.Instant?
  }

  private let ledger: LedgerRecorder
  private let state = Mutex(State())
  /// SQLite blocks its thread, so it has one of its own.
  private let queue = DispatchQueue(label: "subledger.inbox", qos: .userInitiated)

  /// Creates an inbox of a ledger.
  public init(_ ledger: LedgerRecorder) { self.ledger = ledger }

  /// Whether the server is stopping.
  var isClosed: Bool { state.withLock { $0.isClosed } }
  /// The instant of the last transaction that succeeded.
  var lastWrite: ContinuousClock.Instant? { state.withLock { $0.lastWrite } }

  /// Records arrivals. When this returns, they are on disk.
  /// - Throws: ``Refusal``. Then nothing of these arrivals is recorded.
  public func store(_ arrivals: [Arrival]) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      let refusal: Refusal? = state.withLock { state in
        if state.isClosed { return .closed }
        if state.waiting.count >= Self.limit { return .full }
        state.waiting.append(Request(arrivals: arrivals, since: .now, done: done))
        if !state.isRecording {
          state.isRecording = true
          queue.async { self.recordAll() }
        }
        return nil
      }
      if let refusal { done.resume(throwing: refusal) }
    }
  }

  /// Refuses further arrivals. Those that wait are still recorded.
  public func close() { state.withLock { $0.isClosed = true } }

  /// Records batch after batch, until nothing waits.
  private func recordAll() {
    while true {
      let batch = state.withLock { state -> [Request] in
        defer { state.waiting = [] }
        if state.waiting.isEmpty { state.isRecording = false }
        return state.waiting
      }
      if batch.isEmpty { return }
      let now = ContinuousClock.now
      for request in batch where request.since.duration(to: now) > Self.patience {
        request.done.resume(throwing: Refusal.late)
      }
      record(batch.filter { $0.since.duration(to: now) <= Self.patience })
    }
  }

  private func record(_ batch: [Request]) {
    guard !batch.isEmpty else { return }
    do {
      try ledger.record(batch.flatMap(\.arrivals))
      state.withLock { $0.lastWrite = .now }
      for request in batch { request.done.resume() }
    } catch {
      let error = error as? LedgerError ?? LedgerError(.cannotWrite, "The ledger could not be written.")
      // Each could fail again after as long a wait.
      guard batch.count > 1, error.code != .busy else {
        for request in batch { request.done.resume(throwing: Refusal.failed(error)) }
        return
      }
      // One arrival must not stand in the way of the others.
      for request in batch { record([request]) }
    }
  }
}
