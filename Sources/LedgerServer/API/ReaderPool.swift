internal import Dispatch
internal import Ledger
internal import LedgerService
internal import LedgerStore
internal import Synchronization

/// Readers of the ledger, each with connections and a thread of its own, because SQLite blocks its thread.
///
/// Requesters take turns, so that one which asks much does not hold up the others. One reader answers only checks, so that
/// a long answer never holds up the query whether somebody may in.
final class ReaderPool: Sendable {
  /// What a request asks: a check takes about a millisecond, and everything else may take long.
  enum Work: Sendable {
    case check, other
  }

  /// The greatest number of requests that wait, of all requesters and of one.
  static let limit = (all: 512, ofRequester: 128)

  private typealias Job = @Sendable (LedgerReader) -> Void

  /// Jobs that wait. Their requesters take turns.
  private struct JobQueue {
    private var jobs: [RequesterKey: [Job]] = [:]
    private var turns: [RequesterKey] = []

    mutating func append(_ job: @escaping Job, of requester: RequesterKey) {
      if jobs[requester] == nil { turns.append(requester) }
      jobs[requester, default: []].append(job)
    }

    mutating func next() -> (requester: RequesterKey, job: Job)? {
      guard let requester = turns.first, var own = jobs[requester] else { return nil }
      turns.removeFirst()
      let job = own.removeFirst()
      jobs[requester] = own.isEmpty ? nil : own
      if !own.isEmpty { turns.append(requester) }
      return (requester, job)
    }
  }

  private struct State {
    var checks = JobQueue()
    var others = JobQueue()
    var waiting: [RequesterKey: Int] = [:]
    var waitingCount = 0
    var idle: Set<Int>

    /// Takes what a reader does next. The first one takes only checks, and the others rather take everything else.
    mutating func next(for readerIndex: Int) -> Job? {
      let found = readerIndex == 0 ? checks.next() : others.next() ?? checks.next()
      guard let found else { return nil }
      waitingCount -= 1
      waiting.countDown(found.requester)
      return found.job
    }
  }

  private struct Member: Sendable {
    let reader: LedgerReader
    let queue: DispatchQueue
  }

  private let members: [Member]
  private let state: Mutex<State>

  /// Opens readers of a file.
  /// - Parameter count: the number of readers, two or more.
  /// - Throws: `LedgerError` when the file cannot be read.
  init(path: String, count: Int) throws {
    members = try (0..<count).map {
      Member(
        reader: try LedgerReader(path: path), queue: DispatchQueue(label: "subledger.reader.\($0)", qos: .userInitiated)
      )
    }
    state = Mutex(State(idle: Set(0..<count)))
  }

  /// The number of requests that wait for a reader.
  var waitingCount: Int { state.withLock { $0.waitingCount } }

  /// Runs a closure with a reader, when it is the requester's turn.
  /// - Throws: ``HTTPProblem`` when too many requests wait; the errors of `body`.
  func read<Value: Sendable>(
    _ work: Work = .other, for call: Call, _ body: @escaping @Sendable (LedgerReader) throws -> Value
  ) async throws -> Value { try await read(work, by: .token(call.token.key), body) }

  /// Runs a closure as ``read(_:for:_:)`` does, and returns the ledger's sequence number from before the answer too.
  func answer<Value: Sendable>(
    _ work: Work = .other, for call: Call, _ body: @escaping @Sendable (LedgerReader) throws -> Value
  ) async throws -> (Int64, Value) {
    try await read(work, for: call) { (try $0.sequence(), try body($0)) }
  }

  /// Runs a closure with a reader, when it is the requester's turn.
  func read<Value: Sendable>(
    _ work: Work = .other, by requester: RequesterKey, _ body: @escaping @Sendable (LedgerReader) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Value, any Error>) in
      let problem = add(work, requester) { reader in done.resume(with: Result { try body(reader) }) }
      if let problem { done.resume(throwing: problem) }
    }
  }

  private func add(_ work: Work, _ requester: RequesterKey, _ job: @escaping Job) -> HTTPProblem? {
    let (problem, readerIndex): (HTTPProblem?, Int?) = state.withLock { state in
      guard state.waitingCount < Self.limit.all else { return (.tooManyWait, nil) }
      guard state.waiting[requester, default: 0] < Self.limit.ofRequester else { return (.tooManyWaitOfToken, nil) }
      state.waiting[requester, default: 0] += 1
      state.waitingCount += 1
      switch work {
      case .check: state.checks.append(job, of: requester)
      case .other: state.others.append(job, of: requester)
      }
      let suits = work == .check ? state.idle.min() : state.idle.filter { $0 > 0 }.min()
      if let suits { state.idle.remove(suits) }
      return (nil, suits)
    }
    if let readerIndex { members[readerIndex].queue.async { self.run(readerIndex) } }
    return problem
  }

  /// Runs job after job, until none waits for this reader.
  private func run(_ readerIndex: Int) {
    while true {
      let job = state.withLock { state in
        let job = state.next(for: readerIndex)
        if job == nil { state.idle.insert(readerIndex) }
        return job
      }
      guard let job else { return }
      job(members[readerIndex].reader)
    }
  }

  /// Prepares every reader for its first query, which takes a tenth of a second.
  func warmUp(_ body: @escaping @Sendable (LedgerReader) throws -> Void) {
    for member in members { member.queue.async { try? body(member.reader) } }
  }

  /// Closes the connections of all readers.
  func close() { for member in members { member.queue.sync { member.reader.close() } } }
}
