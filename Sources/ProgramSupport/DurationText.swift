/// A length of time as a user types it: a whole number and s, m, h or d.
package struct DurationText {
  /// The number before the unit.
  package let count: Int64
  /// The length of the unit in milliseconds; `nil` if the text names no unit.
  package let unit: Int64?

  /// Reads a length of time; returns `nil` for any other text.
  package init?(_ text: String) {
    let units: [Character: Int64] = ["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
    unit = text.last.flatMap { units[$0] }
    guard let count = Int64(unit == nil ? text[...] : text.dropLast()) else { return nil }
    self.count = count
  }

  /// The length of time, if the text names a unit and fewer than a million of it.
  package var duration: Duration? {
    guard let unit, (0..<1_000_000).contains(count) else { return nil }
    return .milliseconds(count * unit)
  }
}
