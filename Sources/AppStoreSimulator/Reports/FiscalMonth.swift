import AppStore

/// A month of Apple's fiscal calendar: quarters of 5, 4 and 4 weeks from Sunday to Saturday, in a year that ends on the
/// last Saturday of September.
struct FiscalMonth: Equatable {
  /// The first and the last day, as the first millisecond of each date in UTC.
  let days: ClosedRange<Instant>
  /// The number of the month in its year, from 1, and the year.
  let number, year: Int64

  private static let week = 7 * RenewalRate.day
  private static let weeks: [Int64] = [5, 4, 4, 5, 4, 4, 5, 4, 4, 5, 4]

  /// Returns the month with a day.
  init(containing day: Instant) {
    var year = Int64(day.date.prefix(4)) ?? 1970
    if day > Self.end(ofYear: year) { year += 1 }
    let end = Self.end(ofYear: year)
    var (first, number) = (Self.end(ofYear: year - 1) + RenewalRate.day, 0)
    while number < Self.weeks.count, first + Self.weeks[number] * Self.week <= day {
      first = first + Self.weeks[number] * Self.week
      number += 1
    }
    // The last month has a fifth week in some years.
    let last = number < Self.weeks.count ? first + Self.weeks[number] * Self.week + -RenewalRate.day : end
    (days, self.number, self.year) = (first...last, Int64(number + 1), year)
  }

  /// Returns the last Saturday of September.
  private static func end(ofYear year: Int64) -> Instant {
    let last = Instant(date: "\(year)-09-30") ?? Instant(milliseconds: 0)
    // 1 January 1970 was a Thursday.
    let weekday = (last.milliseconds / RenewalRate.day + 4) % 7
    return last + -((weekday + 1) % 7 * RenewalRate.day)
  }
}
