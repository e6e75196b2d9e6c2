internal import AppStore
internal import Dispatch
internal import Foundation
internal import Ledger
internal import LedgerService
internal import Logging
internal import Synchronization

/// Advances the change feed: after something was recorded, and each second, because time changes states too.
final class FeedWorker: Sendable {
  /// The shortest time between two steps, in seconds. Under load, one step reads what many requests recorded.
  private static let pause = 0.1
  /// How much longer than a step the pause after it is. Under load, receiving comes before the feed.
  private static let rest = 4.0
  private static let period = DispatchTimeInterval.seconds(1)

  private struct State {
    var isScheduled = false
    var isStopped = false
    /// The number of steps that found a change.
    var turn = 0
    /// When the next step may begin.
    var mayBegin = DispatchTime.now()
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextWaiter = 0
  }

  private let feed: ChangeFeed
  private let now: @Sendable () -> Instant
  private let log: Logger
  private let onTick: @Sendable () -> Void
  private let queue = DispatchQueue(label: "subledger.feed", qos: .utility)
  private let state = Mutex(State())

  init(
    _ feed: ChangeFeed, log: Logger, now: @escaping @Sendable () -> Instant, onTick: @escaping @Sendable () -> Void
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
    for waiter in waiting { waiter.resume() }
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
    onTick()
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
      for waiter in waiting { waiter.resume() }
    } catch {
      // The next step goes on from the same place.
      let code = (error as? LedgerError)?.code.rawValue ?? "\(type(of: error))"
      log.warning("the change feed could not be advanced", metadata: ["code": "\(code)"])
    }
  }

  /// Waits until the feed has a change after a turn, or until some time has passed.
  func wait(after turn: Int, atMost time: Duration) async {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let isLate = state.withLock { state in
          if state.turn != turn || state.isStopped || Task.isCancelled { return true }
          state.waiting[number] = waiter
          return false
        }
        if isLate { return waiter.resume() }
        queue.asyncAfter(deadline: .now() + max(0, time / .seconds(1))) { self.resume(number) }
      }
    } onCancel: {
      resume(number)
    }
  }

  private func resume(_ number: Int) { state.withLock { $0.waiting.removeValue(forKey: number) }?.resume() }
}
