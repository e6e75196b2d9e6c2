public import AppStore
internal import Foundation
internal import LedgerSchema
internal import LedgerStore

/// The periods of a report, one after the other: days (UTC), weeks from Monday on, calendar months or years.
public struct ReportPeriods: Sendable, Equatable {
  /// The length of a period.
  public enum Length: String, Sendable, CaseIterable {
    /// One day, in UTC.
    case day
    /// One week, from Monday on.
    case week
    /// One calendar month, in UTC.
    case month
    /// One calendar year, in UTC.
    case year

    fileprivate var component: Calendar.Component {
      switch self {
      case .day: .day
      case .week: .weekOfYear
      case .month: .month
      case .year: .year
      }
    }
  }

  /// The length of each period.
  public let length: Length
  /// The beginning of each period, and the end of the last one: one instant more than there are periods.
  public let bounds: [Instant]

  /// The limit on the days of a report: it has fewer than this.
  public static let mostDays = 10_000

  /// Creates the periods from the one that contains `from` to the last one that begins before `to`.
  /// - Returns: `nil` when `to` is not after `from`, or when there would be ``mostDays`` days or more.
  public init?(_ length: Length, from: Instant, to: Instant) {
    guard from < to, (to.milliseconds - from.milliseconds) / Self.day < Self.mostDays else { return nil }
    self.length = length
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    let component = length.component
    let first = Date(timeIntervalSince1970: Double(from.milliseconds) / 1000)
    guard var start = calendar.dateInterval(of: component, for: first)?.start else { return nil }
    var bounds = [Self.instant(start)]
    while let last = bounds.last, last < to {
      guard let next = calendar.date(byAdding: component, value: 1, to: start) else { return nil }
      bounds.append(Self.instant(next))
      start = next
    }
    self.bounds = bounds
  }

  private static let day: Int64 = 86_400_000

  private static func instant(_ date: Date) -> Instant {
    Instant(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
  }

  /// The number of periods.
  public var count: Int { bounds.count - 1 }

  /// Returns the name of a period: its year (`2026`) or month (`2026-03`), or the day on which it begins (`2026-03-09`).
  /// - Parameter index: the number of the period, from 0.
  public func label(_ index: Int) -> String {
    String(bounds[index].description.prefix(length == .year ? 4 : length == .month ? 7 : 10))
  }

  /// Every day as milliseconds since 1970, with the number of its period, from 1.
  var days: [(day: Int64, period: Int64)] {
    (0..<count).flatMap { index in
      stride(from: bounds[index].milliseconds, to: bounds[index + 1].milliseconds, by: Int64.Stride(Self.day)).map {
        (day: $0, period: Int64(index + 1))
      }
    }
  }
}
