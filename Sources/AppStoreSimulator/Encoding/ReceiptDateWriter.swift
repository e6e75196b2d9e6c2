import AppStore

/// The dates of receipts, each in three forms.
enum ReceiptDateWriter {
  /// Adds a date as `name`, `name_ms` and `name_pst`.
  static func add(_ name: String, _ instant: Instant, to text: inout JSONWriter) {
    text.add(name, Self.text(instant, zone: "Etc/GMT"))
    text.add(name + "_ms", String(instant.milliseconds))
    text.add(name + "_pst", Self.text(instant + offset(at: instant), zone: "America/Los_Angeles"))
  }

  /// Returns an instant in the form `2016-06-09 13:59:40 Etc/GMT`.
  static func text(_ instant: Instant, zone: String) -> String {
    let text = instant.description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) \(zone)"
  }

  /// Returns California's offset from UTC, in milliseconds. Since 2007, summer time lasts from March's second Sunday to
  /// November's first. It changes at two o'clock local time.
  private static func offset(at instant: Instant) -> Int64 {
    let hour: Int64 = 3_600_000
    let year = CivilDate(dayNumber: instant.milliseconds / RenewalRate.day).year
    func sunday(_ number: Int64, month: Int64) -> Int64 {
      let first = CivilDate(year: year, month: month, day: 1)?.dayNumber ?? 0
      // Day 0 was a Thursday.
      return first + (10 - first % 7) % 7 + (number - 1) * 7
    }
    let begins = sunday(2, month: 3) * RenewalRate.day + 10 * hour
    let ends = sunday(1, month: 11) * RenewalRate.day + 9 * hour
    return (begins..<ends).contains(instant.milliseconds) ? -7 * hour : -8 * hour
  }
}
