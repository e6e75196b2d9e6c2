public import AppStore

/// The speed of simulated time: real time, or a month in seconds or minutes, as in Apple's sandbox.
public struct RenewalRate: Sendable, Equatable {
  /// The length of a month in milliseconds; `nil` in real time.
  public let month: Int64?

  /// Real time: calendar months, in the environment Production.
  public static let realTime = RenewalRate(month: nil)

  /// The rate of Apple's sandbox: a month lasts five minutes.
  public static let sandbox = RenewalRate(month: 300_000)

  /// Real time in the environment Sandbox: a fault that Apple's App Store does not have.
  static let realTimeInSandbox = RenewalRate(month: nil, environment: .sandbox)

  private init(month: Int64?, environment: Environment? = nil) {
    (self.month, self.environment) = (month, environment ?? (month == nil ? .production : .sandbox))
  }

  /// Creates a rate in the environment Sandbox, from the length of a month in milliseconds. The length is rounded down
  /// to seconds, because the simulated store counts in seconds.
  /// - Returns: `nil` under thirty seconds, and over 28 days.
  public init?(monthLasting milliseconds: Int64) {
    guard (30_000...28 * Self.day).contains(milliseconds) else { return nil }
    self.init(month: milliseconds / 1000 * 1000)
  }

  /// The environment of purchases at this rate.
  public let environment: Environment

  /// The number of renewals before the customer must buy again. Apple's sandbox allows twelve (Apple, "Testing
  /// auto-renewable subscriptions").
  var renewalLimit: Int { month == nil ? .max : 12 }

  static let hour: Int64 = 3_600_000
  static let day = 24 * hour

  /// Returns the length of a number of Apple's days in milliseconds: days of grace, of retries, of a delay.
  func days(_ count: Int64) -> Int64 {
    guard let month else { return count * Self.day }
    return max(1000, count * month / 30 / 1000 * 1000)
  }

  /// Returns the end of a number of periods that follow each other from an anchor.
  ///
  /// In real time, a month ends on the anchor's day of the month, or on the month's last day. At other rates, a period
  /// has its length in Apple's sandbox, in proportion to the month. There, 3 days last 2 minutes, a week 3, a month 5
  /// and a year 60.
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
  static func - (instant: Instant, other: Instant) -> Int64 { instant.milliseconds - other.milliseconds }
}
