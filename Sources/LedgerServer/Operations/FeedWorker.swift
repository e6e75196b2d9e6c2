internal import AppStore
internal import Dispatch
internal import Foundation
internal import Ledger
internal import LedgerService
internal import LedgerStore
internal import Logging
internal import Synchronization

/// Advances the change feed: after something was recorded, and each second, because time changes states too.
final class FeedWorker: Sendable {
  /// The shortest time between two steps, in seconds. Under load, one step reads what many requests recorded.
  private static let pause = 0.1
  /// How much longer than a step the pause after it is. Under load, receiving comes before the feed.
  private static let rest = 4.0
  private static let period = DispatchTimeInterval.seconds(1)

  /// How many requests may wait for a change: of all tokens, and of one. Each change wakes all of them.
  static let limit = (all: 100, ofToken: 20)

  /// How a wait ended.
  enum WaitEnd: Sendable {
    /// The feed has a change, or the time has passed.
    case over
    /// The token was revoked or has ended.
    case revoked
    /// Too many requests wait, or too many of this token.
    case tooMany, tooManyOfToken
  }

  private struct Waiter {
    let token: TokenKey
    let end: CheckedContinuation<WaitEnd, Never>
  }

  private struct State {
    var isScheduled = false
    var isStopped = false
    /// The number of steps that found a change.
    var turn = 0
    /// When the next step may begin.
    var mayBegin = DispatchTime.now()
    var waiting: [Int: Waiter] = [:]
    var nextWaiter = 0
  }

  private let feed: ChangeFeed
  private let now: @Sendable () -> Instant
  private let log: Logger
  private let onTick: @Sendable (FeedWorker) -> Void
  private let queue = DispatchQueue(label: "subledger.feed", qos: .utility)
  private let state = Mutex(State())

  init(
    _ feed: ChangeFeed, log: Logger, now: @escaping @Sendable () -> Instant,
    onTick: @escaping @Sendable (FeedWorker) -> Void
  ) {
    (self.feed, self.log, self.now, self.onTick) = (feed, log, now, onTick)
  }

  /// A number that grows with each change.
  var turn: Int { state.withLock { $0.turn } }

  /// The number of those that wait for a change.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Begins to advance the feed.
  func start() { queue.async { self.step() } }

  /// Stops, and waits until the present step is done.
  func stop() {
    let waiting = state.withLock { state in
      state.isStopped = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for waiter in waiting { waiter.end.resume(returning: .over) }
    queue.sync {}
  }

  /// Advances the feed soon, because something was recorded.
  func poke() {
    let begin: DispatchTime? = state.withLock { state in
      defer { state.isScheduled = true }
      return state.isScheduled || state.isStopped ? nil : max(state.mayBegin, .now() + Self.pause)
    }
    if let begin { queue.asyncAfter(deadline: begin) { self.run() } }
  }

  private func step() {
    run()
    onTick(self)
    guard !state.withLock({ $0.isStopped }) else { return }
    let next = state.withLock { max($0.mayBegin, .now() + Self.period) }
    queue.asyncAfter(deadline: next) { self.step() }
  }

  private func run() {
    let begun = ContinuousClock.now
    defer {
      let rest = Self.rest * (begun.duration(to: .now) / .seconds(1))
      state.withLock { $0.mayBegin = .now() + rest }
    }
    guard
      !state.withLock({
        $0.isScheduled = false; return $0.isStopped
      })
    else { return }
    do {
      guard try feed.advance(to: now()) > 0 else { return }
      let waiting = state.withLock { state in
        state.turn += 1
        defer { state.waiting = [:] }
        return state.waiting.values
      }
      for waiter in waiting { waiter.end.resume(returning: .over) }
    } catch {
      // The next step goes on from the same place.
      log.warning("the change feed could not be advanced", metadata: ["code": "\(error.logCode)"])
    }
  }

  /// Waits until the feed has a change after a turn, or until some time has passed.
  /// - Parameter token: the key of the token that waits.
  func wait(after turn: Int, atMost time: Duration, token: TokenKey) async -> WaitEnd {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let end: WaitEnd? = state.withLock { state in
          if state.turn != turn || state.isStopped || Task.isCancelled { return .over }
          if state.waiting.count >= Self.limit.all { return .tooMany }
          if state.waiting.values.count(where: { $0.token == token }) >= Self.limit.ofToken { return .tooManyOfToken }
          state.waiting[number] = Waiter(token: token, end: waiter)
          return nil
        }
        if let end { return waiter.resume(returning: end) }
        queue.asyncAfter(deadline: .now() + max(0, time / .seconds(1))) { self.end(number, .over) }
      }
    } onCancel: {
      end(number, .over)
    }
  }

  /// The keys of the tokens whose requests wait.
  var waitingTokens: Set<TokenKey> { state.withLock { Set($0.waiting.values.map(\.token)) } }

  /// Ends the waits of tokens that ended.
  func endWaits(of tokens: Set<TokenKey>) {
    let numbers = state.withLock { state in state.waiting.filter { tokens.contains($0.value.token) }.keys }
    for number in numbers { end(number, .revoked) }
  }

  private func end(_ number: Int, _ end: WaitEnd) {
    state.withLock { $0.waiting.removeValue(forKey: number) }?.end.resume(returning: end)
  }
}
