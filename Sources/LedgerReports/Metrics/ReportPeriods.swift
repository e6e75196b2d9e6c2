public import AppStore
internal import Foundation
internal import LedgerSchema
internal import LedgerStore

/// The periods of a report: whole days (UTC), weeks from Monday on, or calendar months, one after the other.
public struct ReportPeriods: Sendable, Equatable {
  /// How long a period is.
  public enum Length: String, Sendable, CaseIterable {
    /// A day (UTC).
    case day
    /// A week, from Monday on.
    case week
    /// A calendar month.
    case month
  }

  /// How long each is.
  public let length: Length
  /// When each begins, and the last of them ends: one more than there are periods. Milliseconds since 1970.
  public let bounds: [Instant]

  /// More days than this are no report.
  public static let mostDays = 10_000

  /// The periods from that in which `from` lies to the last that begins before `to`.
  /// - Returns: `nil` where `to` is not after `from`, or there would be more than ``mostDays`` days.
  public init?(_ length: Length, from: Instant, to: Instant) {
    guard from < to, (to.milliseconds - from.milliseconds) / Self.day < Self.mostDays else { return nil }
    self.length = length
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    let component: Calendar.Component = length == .day ? .day : length == .week ? .weekOfYear : .month
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

  /// How many there are.
  public var count: Int { bounds.count - 1 }

  /// What a period is called: `2026-03` or `2026-03-09`, the day on which it begins.
  /// - Parameter place: from 0.
  public func label(_ place: Int) -> String {
    String(bounds[place].description.prefix(length == .month ? 7 : 10))
  }

  /// Every day, with the number of its period, from 1.
  var days: [(day: Int64, period: Int64)] {
    (0..<count).flatMap { place in
      stride(from: bounds[place].milliseconds, to: bounds[place + 1].milliseconds, by: Int64.Stride(Self.day)).map {
        (day: $0, period: Int64(place + 1))
      }
    }
  }
}
