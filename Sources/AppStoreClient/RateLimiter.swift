internal import AppStore
internal import Synchronization

/// Keeps requests below Apple's limits. Each endpoint of each environment has a bucket of permits, which fills at 80 % of
/// Apple's rate.
///
/// Apple counts over an hour, so a burst is allowed: the bucket holds the permits of a minute. What no person waits for
/// leaves half of them to others.
final class RateLimiter: Sendable {
  private struct Key: Hashable {
    let environment: Environment
    let endpoint: AppStoreEndpoint
  }

  private struct Bucket {
    var permits: Double
    var filledAt: ContinuousClock.Instant
  }

  private struct State {
    var buckets: [Key: Bucket] = [:]
    /// Until when Apple wants no further requests.
    var closed: [Key: ContinuousClock.Instant] = [:]
  }

  /// The part of Apple's rate that is used.
  static let share = 0.8
  /// For how many seconds the permits of a full bucket last.
  static let burst = 60.0

  private let state = Mutex(State())
  private let isOn: Bool

  /// Creates a limiter whose buckets are full.
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
    let key = Key(environment: environment, endpoint: endpoint)
    return state.withLock { state in
      let closed = state.closed[key].map { now.duration(to: $0) } ?? .zero
      guard isOn else { return max(.zero, closed) }
      let rate = Self.rate(of: endpoint, in: environment)
      let full = rate * Self.burst
      var bucket = state.buckets[key] ?? Bucket(permits: full, filledAt: now)
      bucket.permits = min(full, bucket.permits + rate * (bucket.filledAt.duration(to: now) / .seconds(1)))
      bucket.filledAt = now
      // The last permits are for people: others wait until the bucket is half full again.
      let floor = isUrgent ? 0 : full / 2
      let missing = max(0, 1 + floor - bucket.permits)
      bucket.permits -= 1
      state.buckets[key] = bucket
      return max(.seconds(missing / rate), closed)
    }
  }

  /// Gives a permit back that was not used.
  func returnPermit(_ endpoint: AppStoreEndpoint, in environment: Environment) {
    state.withLock { $0.buckets[Key(environment: environment, endpoint: endpoint)]?.permits += 1 }
  }

  /// Sends nothing more to an endpoint for some time, because Apple said so.
  func close(_ endpoint: AppStoreEndpoint, in environment: Environment, until end: ContinuousClock.Instant) {
    state.withLock { state in
      let key = Key(environment: environment, endpoint: endpoint)
      state.closed[key] = max(end, state.closed[key] ?? end)
    }
  }
}
