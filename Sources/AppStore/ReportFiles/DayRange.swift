/// The days that the rows of a report state.
struct DayRange {
  private(set) var first, last, firstEnd, lastEnd: Instant?
  private var all: Set<Int64> = []

  var count: Int { all.count }

  mutating func add(_ day: Instant) {
    first = min(first ?? day, day)
    last = max(last ?? day, day)
    all.insert(day.milliseconds)
  }

  mutating func addEnd(_ day: Instant) {
    firstEnd = min(firstEnd ?? day, day)
    lastEnd = max(lastEnd ?? day, day)
  }

  /// Returns whether a row states a day, or one that is a number of days away.
  func contains(_ day: Instant, within days: Int64) -> Bool {
    (-days...days).contains { all.contains(day.milliseconds + $0 * 86_400_000) }
  }
}
