public import AppStore

/// A length of time by which a clock moves: ISO 8601 with months and hours (`P1M`, `P1DT12H`), or a number with a unit
/// (`3d`, `12h`, `5m`, `30s`).
public struct TimeSpan: Sendable, Equatable {
  private let months: Int64
  private let days: Int64
  private let milliseconds: Int64

  /// Reads a length of time; returns `nil` for an empty one, and for any other text.
  public init?(_ text: String) {
    let short: [Character: Int64] = ["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
    if let unit = text.last.flatMap({ short[$0] }), let count = Int64(text.dropLast()), (1...100_000).contains(count) {
      (months, days, milliseconds) = (0, 0, count * unit)
      return
    }
    guard text.hasPrefix("P") else { return nil }
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    var (months, days): (Int64, Int64) = (0, 0)
    if parts[0].count > 1 {
      guard let date = Period(String(parts[0])) else { return nil }
      (months, days) = (date.months, date.days)
    }
    var time: Int64 = 0
    if parts.count > 1 {
      var rest = parts[1]
      for (unit, length) in [("H", 3_600_000), ("M", 60_000), ("S", 1000)] as [(Character, Int64)] {
        guard let unitIndex = rest.firstIndex(of: unit) else { continue }
        guard let count = Int64(rest[..<unitIndex]), (0...100_000).contains(count) else { return nil }
        time += count * length
        rest = rest[rest.index(after: unitIndex)...]
      }
      guard rest.isEmpty else { return nil }
    }
    guard months + days + time > 0 else { return nil }
    (self.months, self.days, milliseconds) = (months, days, time)
  }

  /// Returns the instant that is this much later. Months and years are those of the calendar (UTC).
  /// - Returns: `nil` for an instant that is too late for a clock.
  public func end(from start: Instant) -> Instant? {
    let date = months == 0 && days == 0 ? start : start.adding(months: months, days: days)
    let (end, isTooLate) = date.milliseconds.addingReportingOverflow(milliseconds)
    return isTooLate || end <= start.milliseconds ? nil : Instant(milliseconds: end)
  }
}
