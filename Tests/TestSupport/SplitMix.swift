import AppStoreSimulator

/// The random generator of the simulator. With its seed in SUBLEDGER_SEED, a failure can be repeated.
package typealias SplitMix = SeededGenerator

extension SeededGenerator {
  /// Returns true once in `count` calls on average.
  package mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}
