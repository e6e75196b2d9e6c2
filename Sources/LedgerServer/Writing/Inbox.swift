internal import Dispatch
internal import LedgerService
public import Ledger
internal import LedgerStore
internal import Synchronization

/// Records what arrives, durably. Arrivals that wait at the same time share one transaction, and so one flush of the disk.
public final class Inbox: Sendable {
  /// The reason why something was not stored. The sender may send it again.
  public enum Refusal: Error, Sendable {
    /// Too many requests wait already.
    case full
    /// The request waited for too long.
    case late
    /// The server is stopping.
    case closed
    /// The ledger could not be written.
    case failed(LedgerError)
  }

  /// The greatest number of requests that wait for the ledger, and of refused payloads that wait behind them.
  public static let limit = 64
  /// How many refused payloads one transaction takes. So evidence that arrives meanwhile does not wait for long.
  static let refusedBatch = 8

  /// Who sends a request.
  enum Sender: Sendable {
    case apple, backEnd

    /// The longest time that a request waits until its transaction begins.
    var timeout: Duration { self == .apple ? .seconds(1) : .seconds(2) }
  }

  /// Records further rows in the transaction of some arrivals. It gets what became of each of them.
  typealias Further = @Sendable (EvidenceTransaction, [ArrivalResult]) throws -> Void

  private struct Request: Sendable {
    enum Work: Sendable {
      /// Rows that share a transaction with those of other requests.
      case rows([Arrival], Further, CheckedContinuation<[ArrivalResult], any Error>)
      /// A payload that cannot be used, from a sender without a token.
      case refused(Arrival, CheckedContinuation<ArrivalResult, any Error>)
      /// A change that can be refused, and so needs a transaction of its own.
      case change(@Sendable (LedgerRecorder) -> Void, refuse: @Sendable (any Error) -> Void)
    }

    let work: Work
    let deadline: ContinuousClock.Instant

    func refuse(_ error: any Error) {
      switch work {
      case .rows(_, _, let done): done.resume(throwing: error)
      case .refused(_, let done): done.resume(throwing: error)
      case .change(_, let refuse): refuse(error)
      }
    }
  }

  private struct State {
    var waiting: [Request] = []
    /// What anonymous senders put into quarantine waits behind everything else.
    var refused: [Request] = []
    var isRecording = false
    var isClosed = false
    var lastWrite: ContinuousClock.Instant?
    var hasFault = false
  }

  private let ledger: LedgerRecorder
  private let state = Mutex(State())
  private let now: @Sendable () -> ContinuousClock.Instant
  private let onRecord: @Sendable (Duration) -> Void
  private let onLoss: @Sendable (LedgerError) -> Void
  private let queue: DispatchQueue

  /// Creates an inbox of a ledger.
  /// - Parameters:
  ///   - ledger: the recorder of the ledger.
  ///   - queue: runs the transactions one after the other. SQLite blocks its thread, so it has one of its own.
  ///   - now: a clock that never goes back.
  ///   - onRecord: called after each batch, with the time that it took.
  ///   - onLoss: called when the file is no longer at its path.
  init(
    _ ledger: LedgerRecorder,
    queue: DispatchQueue = DispatchQueue(label: "subledger.inbox", qos: .userInitiated),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    onRecord: @escaping @Sendable (_ time: Duration) -> Void = { _ in },
    onLoss: @escaping @Sendable (LedgerError) -> Void = { _ in }
  ) {
    (self.ledger, self.queue, self.now) = (ledger, queue, now)
    (self.onRecord, self.onLoss) = (onRecord, onLoss)
  }

  /// The number of requests that wait for a transaction.
  var waitingCount: Int { state.withLock { $0.waiting.count } }
  /// Whether the server is stopping.
  var isClosed: Bool { state.withLock { $0.isClosed } }
  /// How long ago the last transaction succeeded; `nil` when it failed, and before the first one.
  var timeSinceWrite: Duration? { state.withLock { $0.lastWrite }.map { $0.duration(to: now()) } }

  /// Whether the last transaction failed, because the ledger could not be written.
  var hasFault: Bool { state.withLock { $0.hasFault } }

  /// Records arrivals, entries of the access log about them, and further rows. When this returns, they are on disk.
  /// - Returns: what became of each arrival, in their order.
  /// - Throws: ``Refusal``. Then nothing of it is recorded.
  func store(
    _ arrivals: [Arrival], logging entries: [AccessLogEntry] = [], from sender: Sender,
    and further: @escaping Further = { _, _ in }
  ) async throws -> [ArrivalResult] {
    try await withCheckedThrowingContinuation { done in
      let all: Further = { transaction, results in
        for entry in entries { try transaction.log(entry) }
        try further(transaction, results)
      }
      add(Request(work: .rows(arrivals, all, done), deadline: now() + sender.timeout))
    }
  }

  /// Puts a payload of an anonymous sender into quarantine, when no evidence waits.
  /// - Returns: what became of it.
  /// - Throws: ``Refusal``. Then nothing of it is recorded.
  func quarantine(_ arrival: Arrival) async throws -> ArrivalResult {
    try await withCheckedThrowingContinuation { done in
      add(Request(work: .refused(arrival, done), deadline: now() + Sender.backEnd.timeout))
    }
  }

  /// Records a change, in a transaction of its own.
  /// - Throws: ``Refusal``, the errors of `body`. Then nothing of it is recorded.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (EvidenceTransaction) throws -> Value
  ) async throws -> Value {
    try await run { try $0.record(body) }
  }

  /// Runs a change that has its own kind of transaction.
  /// - Throws: ``Refusal``, the errors of `body`.
  func run<Value: Sendable>(_ body: @escaping @Sendable (LedgerRecorder) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Value, any Error>) in
      let work = Request.Work.change(
        { ledger in
          let result = Result { try body(ledger) }
          self.note(result.map { _ in })
          done.resume(with: result)
        }, refuse: { done.resume(throwing: $0) })
      add(Request(work: work, deadline: now() + Sender.backEnd.timeout))
    }
  }

  private func add(_ request: Request) {
    let refusal: Refusal? = state.withLock { state in
      if state.isClosed { return .closed }
      if case .refused = request.work {
        if state.refused.count >= Self.limit { return .full }
        state.refused.append(request)
      } else {
        if state.waiting.count >= Self.limit { return .full }
        state.waiting.append(request)
      }
      if !state.isRecording {
        state.isRecording = true
        queue.async { self.recordAll() }
      }
      return nil
    }
    if let refusal { request.refuse(refusal) }
  }

  /// Refuses further requests. Those that wait are still recorded.
  public func close() { state.withLock { $0.isClosed = true } }

  /// The errors after which the ledger may not be written for some time.
  private static let faults: Set<LedgerError.Code> = [
    .cannotWrite, .busy, .damaged, .fileMoved, .alteredSchema, .newerSchema,
  ]

  /// Notes whether the ledger can be written. A request that the ledger refuses for its content says nothing about that.
  private func note(_ result: Result<Void, any Error>) {
    switch result {
    case .success:
      let now = now()
      state.withLock { ($0.lastWrite, $0.hasFault) = (now, false) }
    case .failure(let error as LedgerError) where Self.faults.contains(error.code):
      state.withLock { ($0.lastWrite, $0.hasFault) = (nil, true) }
      if error.code == .fileMoved { onLoss(error) }
    case .failure: break
    }
  }

  /// Records batch after batch, until nothing waits.
  private func recordAll() {
    while true {
      let batch = state.withLock { state -> [Request] in
        if state.waiting.isEmpty {
          let refused = Array(state.refused.prefix(Self.refusedBatch))
          state.refused.removeFirst(refused.count)
          if refused.isEmpty { state.isRecording = false }
          return refused
        }
        defer { state.waiting = [] }
        return state.waiting
      }
      if batch.isEmpty { return }
      let begun = now()
      for request in batch where request.deadline < begun { request.refuse(Refusal.late) }
      let inTime = batch.filter { $0.deadline >= begun }
      record(inTime.filter { if case .rows = $0.work { true } else { false } })
      quarantine(inTime.filter { if case .refused = $0.work { true } else { false } })
      for request in inTime {
        if case .change(let run, _) = request.work { run(ledger) }
      }
      onRecord(begun.duration(to: now()))
    }
  }

  /// Puts the payloads of requests into quarantine, with their number, in one transaction.
  private func quarantine(_ batch: [Request]) {
    guard !batch.isEmpty else { return }
    var arrivals: [Arrival] = []
    for case .refused(let arrival, _) in batch.map(\.work) { arrivals.append(arrival) }
    do {
      let results = try ledger.recordEach(arrivals, mentionLimit: AnonymousQuarantine.mentionLimit) {
        for (arrival, result) in zip(arrivals, $1) {
          guard case .quarantined(_, isNew: true) = result, case .refused(_, let raw) = arrival.outcome else {
            continue
          }
          var day = QuarantineDay(of: arrival.receivedAt)
          (day.payloadCount, day.byteCount) = (1, Int64(raw.count))
          try $0.add(day)
        }
      }.results
      note(.success(()))
      var rest = results[...]
      for case .refused(_, let done) in batch.map(\.work) {
        if let result = rest.popFirst() { done.resume(returning: result) }
      }
    } catch {
      let error = error as? LedgerError ?? LedgerError(.cannotWrite, "The ledger could not be written.")
      note(.failure(error))
      for request in batch { request.refuse(Refusal.failed(error)) }
    }
  }

  /// Records the rows of requests in one transaction.
  private func record(_ batch: [Request]) {
    guard !batch.isEmpty else { return }
    var arrivals: [Arrival] = []
    for case .rows(let some, _, _) in batch.map(\.work) { arrivals += some }
    do {
      let results = try ledger.recordEach(arrivals) { transaction, results in
        var rest = results[...]
        for case .rows(let some, let further, _) in batch.map(\.work) {
          try further(transaction, Array(rest.prefix(some.count)))
          rest = rest.dropFirst(some.count)
        }
      }.results
      note(.success(()))
      var rest = results[...]
      for case .rows(let some, _, let done) in batch.map(\.work) {
        done.resume(returning: Array(rest.prefix(some.count)))
        rest = rest.dropFirst(some.count)
      }
    } catch {
      let error = error as? LedgerError ?? LedgerError(.cannotWrite, "The ledger could not be written.")
      // Each could fail again after as long a wait.
      guard batch.count > 1, error.code != .busy else {
        note(.failure(error))
        let isCallers = error.code == .refusedText || error.code == .refusedEntry
        for request in batch { request.refuse(isCallers ? error : Refusal.failed(error)) }
        return
      }
      // One request must not stand in the way of the others.
      for request in batch { record([request]) }
    }
  }
}
