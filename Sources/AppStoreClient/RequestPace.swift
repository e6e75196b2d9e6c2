internal import AppStore
internal import Synchronization

/// Keeps requests below Apple's limits. Each endpoint of each environment has a store of permits, which fills at 80 % of
/// Apple's rate.
///
/// Apple counts over an hour, so a burst is allowed: the store holds the permits of a minute. What no person waits for
/// leaves half of the store to others.
final class RequestPace: Sendable {
  private struct Lane: Hashable {
    let environment: Environment
    let endpoint: AppStoreEndpoint
  }

  private struct Store {
    var permits: Double
    var filledAt: ContinuousClock.Instant
  }

  private struct State {
    var stores: [Lane: Store] = [:]
    /// Until when Apple wants no further requests.
    var closed: [Lane: ContinuousClock.Instant] = [:]
  }

  /// The part of Apple's rate that is used.
  static let share = 0.8
  /// For how many seconds the permits of a full store last.
  static let burst = 60.0

  private let state = Mutex(State())
  private let isOn: Bool

  /// Creates a pace whose stores are full.
  /// - Parameter isOn: whether requests are paced. Apple's own wish to wait counts in any case.
  init(isOn: Bool) { self.isOn = isOn }

  /// The permits that an endpoint gets in a second.
  static func rate(of endpoint: AppStoreEndpoint, in environment: Environment) -> Double {
    endpoint.requestsPerSecond * share * (environment == .production ? 1 : 0.1)
  }

  /// Takes a permit for one request.
  /// - Returns: how long the request must wait before it is sent. A later request waits longer.
  func wait(
    for endpoint: AppStoreEndpoint, in environment: Environment, isUrgent: Bool, now: ContinuousClock.Instant
  ) -> Duration {
    let lane = Lane(environment: environment, endpoint: endpoint)
    return state.withLock { state in
      let closed = state.closed[lane].map { now.duration(to: $0) } ?? .zero
      guard isOn else { return max(.zero, closed) }
      let rate = Self.rate(of: endpoint, in: environment)
      let full = max(1, rate * Self.burst)
      var store = state.stores[lane] ?? Store(permits: full, filledAt: now)
      store.permits = min(full, store.permits + rate * (store.filledAt.duration(to: now) / .seconds(1)))
      store.filledAt = now
      // The last permits are for people: others wait until the store is half full again.
      let floor = isUrgent ? 0 : full / 2
      let missing = max(0, 1 + floor - store.permits)
      store.permits -= 1
      state.stores[lane] = store
      return max(.seconds(missing / rate), closed)
    }
  }

  /// Gives a permit back that was not used.
  func giveBack(_ endpoint: AppStoreEndpoint, in environment: Environment) {
    state.withLock { $0.stores[Lane(environment: environment, endpoint: endpoint)]?.permits += 1 }
  }

  /// Sends nothing more to an endpoint for some time, because Apple said so.
  func close(_ endpoint: AppStoreEndpoint, in environment: Environment, until end: ContinuousClock.Instant) {
    state.withLock { state in
      let lane = Lane(environment: environment, endpoint: endpoint)
      state.closed[lane] = max(end, state.closed[lane] ?? end)
    }
  }
}
