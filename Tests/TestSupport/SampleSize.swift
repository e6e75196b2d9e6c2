import Foundation

/// Says how much the tests try: a little by default, much with `SUBLEDGER_TESTS=full`.
///
/// | set | random samples | who asks for it |
/// |---|---|---|
/// | nothing | small | `swift test`, many times a day |
/// | `SUBLEDGER_TESTS=full` | large | the gate, `.ci/run` |
/// | `SUBLEDGER_TRIALS=N` | large, and N times as many faults | `Tests/TrialTests/run` |
///
/// Only the number and the length of samples depend on it. Every test runs in both, with the same assertions.
package enum SampleSize {
  private static let environment = ProcessInfo.processInfo.environment

  /// How many times as many faults as usual are made, where somebody says so.
  package static let trials = environment["SUBLEDGER_TRIALS"].flatMap { Int($0) }.map { max(1, $0) }

  /// Whether the large samples are asked for.
  package static let isFull = environment["SUBLEDGER_TESTS"] == "full" || trials != nil

  /// Returns one of two sizes.
  /// - Parameters:
  ///   - small: the size that every run can afford.
  ///   - full: the size that finds what is rare.
  package static func pick<Size>(_ small: Size, full: Size) -> Size { isFull ? full : small }
}
