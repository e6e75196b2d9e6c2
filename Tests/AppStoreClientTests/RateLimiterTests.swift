import AppStore
import TestSupport
import Testing

@testable import AppStoreClient

/// How fast requests go, counted with a clock that the test moves.
@Suite struct RateLimiterTests {
  /// Sends as much as the limiter allows for an hour.
  private static func hour(_ endpoint: AppStoreEndpoint, _ environment: Environment, isUrgent: Bool = true) -> Double {
    let (rateLimiter, clock) = (RateLimiter(isOn: true), TestClock())
    let end = clock.now + .seconds(3600)
    var count = 0.0
    while clock.now < end {
      clock.advance(by: rateLimiter.wait(for: endpoint, in: environment, isUrgent: isUrgent, now: clock.now))
      count += 1
    }
    return count
  }

  @Test(arguments: AppStoreEndpoint.allCases, [Environment.production, .sandbox])
  func `an hour at the full rate stays below Apple's limit, and uses most of it`(
    _ endpoint: AppStoreEndpoint, _ environment: Environment
  ) {
    let limit = endpoint.requestsPerSecond * 3600 * (environment == .production ? 1 : 0.1)
    let count = Self.hour(endpoint, environment)
    #expect(count <= limit && count >= limit * 0.75, "\(count) of \(limit)")
  }

  @Test func `a first burst of people waits for nothing, and others leave half of it`() {
    let (rateLimiter, clock) = (RateLimiter(isOn: true), TestClock())
    let full = Int(RateLimiter.rate(of: .subscriptionStatuses, in: .production) * RateLimiter.burst)
    func waits(_ isUrgent: Bool) -> Bool {
      let wait = rateLimiter.wait(for: .subscriptionStatuses, in: .production, isUrgent: isUrgent, now: clock.now)
      if wait > .zero { rateLimiter.returnPermit(.subscriptionStatuses, in: .production) }
      return wait > .zero
    }
    #expect((0..<full / 2).allSatisfy { _ in !waits(false) })
    #expect(waits(false))
    #expect((0..<full / 2).allSatisfy { _ in !waits(true) })
    #expect(waits(true))
  }

  @Test func `one endpoint and one environment do not slow another`() {
    let (rateLimiter, clock) = (RateLimiter(isOn: true), TestClock())
    while rateLimiter.wait(for: .extend, in: .sandbox, isUrgent: true, now: clock.now) == .zero {}
    #expect(rateLimiter.wait(for: .extend, in: .production, isUrgent: true, now: clock.now) == .zero)
    #expect(rateLimiter.wait(for: .finish, in: .sandbox, isUrgent: true, now: clock.now) == .zero)
  }

  @Test(arguments: [true, false]) func `what Apple closed waits until Apple's instant, paced or not`(_ isOn: Bool) {
    let (rateLimiter, clock) = (RateLimiter(isOn: isOn), TestClock())
    rateLimiter.close(.extend, in: .production, until: clock.now + .seconds(30))
    rateLimiter.close(.extend, in: .production, until: clock.now + .seconds(10))
    #expect(rateLimiter.wait(for: .extend, in: .production, isUrgent: true, now: clock.now) == .seconds(30))
    clock.advance(by: .seconds(30))
    #expect(rateLimiter.wait(for: .extend, in: .production, isUrgent: true, now: clock.now) == .zero)
  }

  @Test func `without a limit nothing waits`() {
    let (rateLimiter, clock) = (RateLimiter(isOn: false), TestClock())
    #expect(
      (0..<10_000).allSatisfy { _ in
        rateLimiter.wait(for: .testNotification, in: .sandbox, isUrgent: false, now: clock.now) == .zero
      })
  }
}
