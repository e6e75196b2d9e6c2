public import AppStore

/// How fast time goes for subscriptions: as in the world, or a month in seconds or minutes, as in Apple's sandbox.
public struct RenewalRate: Sendable, Equatable {
  /// How long a month lasts, in milliseconds; `nil` in real time.
  public let month: Int64?

  /// Months of the calendar, in the environment Production.
  public static let realTime = RenewalRate(month: nil)

  /// Apple's sandbox: a month in five minutes.
  public static let sandbox = RenewalRate(month: 300_000)

  private init(month: Int64?) { self.month = month }

  /// A month that lasts so many milliseconds, in the environment Sandbox.
  /// - Returns: `nil` under thirty seconds, because the simulated store counts in seconds, and over 28 days.
  public init?(monthLasting milliseconds: Int64) {
    guard (30_000...28 * Self.day).contains(milliseconds) else { return nil }
    month = milliseconds / 1000 * 1000
  }

  /// Where purchases at this rate are made.
  public var environment: Environment { month == nil ? .production : .sandbox }

  /// How often a subscription renews before it must be bought anew: twelve times in the sandbox (Apple, "Testing
  /// auto-renewable subscriptions").
  var renewalLimit: Int { month == nil ? .max : 12 }

  static let day: Int64 = 86_400_000

  /// How long so many days are that Apple counts: of grace, of retries, of a delay.
  func days(_ count: Int64) -> Int64 {
    guard let month else { return count * Self.day }
    return max(1000, count * month / 30 / 1000 * 1000)
  }

  /// The end of a number of periods that begin one after the other at an anchor.
  ///
  /// In real time a month ends on the anchor's day, or on the month's last. At other rates a period has the length of
  /// Apple's sandbox, where a month is five minutes (3 days 2, a week 3, a month 5, a year 60), in proportion.
  func end(of period: Period, times count: Int64, from anchor: Instant) -> Instant {
    guard let month else {
      return anchor.adding(months: period.months * count, days: period.days * count)
    }
    let minutes =
      period.months > 0
      ? period.months * 5
      : period.days <= 3 ? 2 : period.days <= 7 ? 3 : max(3, period.days * 5 / 30)
    return Instant(milliseconds: anchor.milliseconds + max(1000, minutes * month / 5 / 1000 * 1000) * count)
  }
}

extension Instant {
  static func + (instant: Instant, milliseconds: Int64) -> Instant {
    Instant(milliseconds: instant.milliseconds + milliseconds)
  }

  static func - (instant: Instant, other: Instant) -> Int64 { instant.milliseconds - other.milliseconds }

  /// The same time of day, so many months and days later; a day that the month has not is its last.
  func adding(months: Int64, days: Int64) -> Instant {
    let day = milliseconds / RenewalRate.day
    var date = CivilDate(dayNumber: day)
    let month = date.year * 12 + date.month - 1 + months
    let last = CivilDate(year: (month + 1) / 12, month: (month + 1) % 12 + 1, day: 1)?.dayNumber ?? 0
    let first = CivilDate(year: month / 12, month: month % 12 + 1, day: 1)?.dayNumber ?? 0
    date.day = min(date.day, last - first)
    return Instant(milliseconds: (first + date.day - 1 + days - day) * RenewalRate.day + milliseconds)
  }
}
