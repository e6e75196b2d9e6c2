import Foundation

/// The size of the samples that tests try: small by default, large with `SUBLEDGER_TESTS=full`.
///
/// | set | random samples | used by |
/// |---|---|---|
/// | nothing | small | `swift test`, many times a day |
/// | `SUBLEDGER_TESTS=full` | larger, under five minutes | the gate, `.ci/run` |
/// | `SUBLEDGER_TRIALS=N` | large, and N times as many faults | `Tests/TrialTests/run` |
///
/// Only the number and the length of samples depend on it. Every test runs at every size, with the same assertions.
package enum SampleSize {
  private static let environment = ProcessInfo.processInfo.environment

  /// The factor for the number of faults, where `SUBLEDGER_TRIALS` sets one.
  package static let trials = environment["SUBLEDGER_TRIALS"].flatMap { Int($0) }.map { max(1, $0) }

  /// How many times as many faults and random texts as in the large samples.
  package static let factor = trials ?? 1

  /// Whether tests use the large samples.
  package static let isFull = environment["SUBLEDGER_TESTS"] == "full" || trials != nil

  /// Returns one of two sizes.
  /// - Parameters:
  ///   - small: the size that every run can afford.
  ///   - full: the size that finds rare errors.
  package static func pick<Size>(_ small: Size, full: Size) -> Size { isFull ? full : small }
}
