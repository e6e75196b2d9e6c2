import AppStore

/// Time in Cupertino, by which Apple counts days and dates receipts.
///
/// It does not use the system's time zones, because a small system has none. The rule holds since 2007: daylight saving
/// time begins at 2:00 on the second Sunday of March and ends at 2:00 on the first Sunday of November (Energy Policy Act
/// of 2005, section 110).
enum PacificTime {
  private static let hour = RenewalRate.hour

  /// Returns the day of an instant, as the first millisecond of that date in UTC.
  static func day(of instant: Instant) -> Instant {
    startOfDay(instant.milliseconds + offset(at: instant))
  }

  /// Returns the instant at which a day begins, from the first millisecond of its date in UTC.
  static func start(of day: Instant) -> Instant {
    // Clocks change at 2:00, so the difference at midnight is that of eight hours later or of a day before.
    let standard = day + 8 * hour
    return offset(at: standard) == -8 * hour ? standard : day + 7 * hour
  }

  /// Returns the difference from UTC in milliseconds.
  static func offset(at instant: Instant) -> Int64 {
    let year = CivilDate(dayNumber: instant.milliseconds / RenewalRate.day).year
    // 2:00 is 10:00 in UTC before the change in March, and 9:00 before the change in November.
    let begins = sunday(2, of: 3, in: year) * RenewalRate.day + 10 * hour
    let ends = sunday(1, of: 11, in: year) * RenewalRate.day + 9 * hour
    return (begins..<ends).contains(instant.milliseconds) ? -7 * hour : -8 * hour
  }

  /// Returns the number of the day of a month's Sunday, counted from 1.
  private static func sunday(_ count: Int64, of month: Int64, in year: Int64) -> Int64 {
    let first = CivilDate(uncheckedYear: year, month: month, day: 1).dayNumber
    // 1970-01-01 was a Thursday: the days with a remainder of 3 are Sundays.
    return first + (10 - first % 7) % 7 + 7 * (count - 1)
  }

  static func startOfDay(_ milliseconds: Int64) -> Instant {
    Instant(milliseconds: milliseconds - milliseconds % RenewalRate.day)
  }
}
