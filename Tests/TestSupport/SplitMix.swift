import AppStoreSimulator

/// The generator of the simulated worlds, with a seed, so that a failure can be run again: SUBLEDGER_SEED.
package typealias SplitMix = SeededGenerator

extension SeededGenerator {
  /// True once in so many times.
  package mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}
