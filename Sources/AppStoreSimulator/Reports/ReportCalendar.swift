import AppStore

/// How simulated reports count days.
enum ReportCalendar {
  /// As Apple does: in Cupertino's time.
  case pacific
  /// In UTC, which is a fault.
  case utc

  /// Returns the day of an instant, as the first millisecond of that date in UTC.
  func day(of instant: Instant) -> Instant {
    self == .pacific ? PacificTime.day(of: instant) : PacificTime.startOfDay(instant.milliseconds)
  }

  /// Returns the instant at which a day begins.
  func start(of day: Instant) -> Instant { self == .pacific ? PacificTime.start(of: day) : day }
}
