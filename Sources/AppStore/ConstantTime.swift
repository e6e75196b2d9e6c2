/// Comparison of secrets, without a hint for those who guess.
package enum ConstantTime {
  /// Returns whether two sequences of bytes are the same. It takes the same time for each pair of one length, so an
  /// attacker learns nothing from it.
  package static func isEqual(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
    one.count == other.count && zip(one, other).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
