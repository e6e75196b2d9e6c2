import AppStore
import Foundation
import Synchronization

/// A clock that stands still until a test moves it, for code that takes a clock as a parameter.
package final class TestClock: Sendable {
  private let instant = Mutex(ContinuousClock.now)
  private let step: Duration

  /// Creates a clock.
  /// - Parameter step: how far each reading moves it.
  package init(step: Duration = .zero) { self.step = step }

  /// The present instant of the clock.
  package var now: ContinuousClock.Instant {
    instant.withLock { instant in
      defer { instant += step }
      return instant
    }
  }

  /// Moves the clock.
  package func advance(by time: Duration) { instant.withLock { $0 += time } }
}

/// A wall clock that a test sets.
package final class WallClock: Sendable {
  private let instant: Mutex<Instant>

  package init(_ instant: Instant) { self.instant = Mutex(instant) }

  package var now: Instant { instant.withLock { $0 } }
  package func set(_ instant: Instant) { self.instant.withLock { $0 = instant } }
}

/// Waits for what another thread or program does. The test's outcome is that it happens, and not when.
package enum Eventually {
  /// After this time a test fails instead of waiting for ever. No machine is this slow.
  package static let limit = Duration.seconds(600)

  package struct Never: Error, CustomStringConvertible {
    package let description = "what the test waits for did not happen in \(Eventually.limit)"
  }

  /// Waits until a condition holds.
  /// - Throws: ``Never`` after ``limit``, and the errors of the condition.
  package static func isTrue(_ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
      if ContinuousClock.now > deadline { throw Never() }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Waits until a condition holds, and blocks this thread meanwhile.
  /// - Throws: ``Never`` after ``limit``, and the errors of the condition.
  package static func blocksUntil(_ condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
      if ContinuousClock.now > deadline { throw Never() }
      usleep(5000)
    }
  }
}
