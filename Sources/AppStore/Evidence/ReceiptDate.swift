/// An instant as receipts write it in words: `2026-03-02 10:00:00 Etc/GMT`, and the same in Cupertino's time.
///
/// Only instants for which the rule of daylight saving time is the present one: from 2007 on, and before 2100.
struct ReceiptDate {
  private static let range: Range<Int64> = 1_167_609_600..<4_102_444_800
  /// How many bytes ``greenwich`` has.
  static let greenwichCount = 27
  /// How many bytes ``pacific`` has.
  static let pacificCount = 39

  /// Seconds since 1970.
  private let seconds: Int64

  /// Reads thirteen digits; anything else is `nil`.
  init?(milliseconds digits: some Collection<UInt8>) {
    guard digits.count == 13 else { return nil }
    var seconds: Int64 = 0
    var place = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      if place < 10 { seconds = seconds * 10 + Int64(digit - UInt8(ascii: "0")) }
      place += 1
    }
    guard Self.range.contains(seconds) else { return nil }
    self.seconds = seconds
  }

  /// The instant in UTC.
  var greenwich: [UInt8] { Self.words(seconds, " Etc/GMT") }

  /// The instant in the time of Los Angeles: daylight saving time lasts from the second Sunday of March, 10:00 UTC, to the
  /// first Sunday of November, 9:00 UTC (Energy Policy Act of 2005).
  var pacific: [UInt8] {
    let year = Self.date(seconds / 86_400).year
    let begins = Self.sunday(onOrAfter: Self.days(year, 3, 8)) * 86_400 + 36_000
    let ends = Self.sunday(onOrAfter: Self.days(year, 11, 1)) * 86_400 + 32_400
    return Self.words(seconds - ((begins..<ends).contains(seconds) ? 25_200 : 28_800), " America/Los_Angeles")
  }

  private static func words(_ seconds: Int64, _ zone: StaticString) -> [UInt8] {
    let (date, time) = (date(seconds / 86_400), seconds % 86_400)
    return [UInt8](unsafeUninitializedCapacity: 19 + zone.utf8CodeUnitCount) { bytes, count in
      var end = 0
      func write(_ number: Int64, _ width: Int) {
        var rest = number
        for place in (end..<end + width).reversed() {
          bytes[place] = UInt8(ascii: "0") + UInt8(rest % 10)
          rest /= 10
        }
        end += width
      }
      func write(_ byte: UInt8) {
        bytes[end] = byte
        end += 1
      }
      write(date.year, 4)
      write(UInt8(ascii: "-"))
      write(date.month, 2)
      write(UInt8(ascii: "-"))
      write(date.day, 2)
      write(UInt8(ascii: " "))
      write(time / 3600, 2)
      write(UInt8(ascii: ":"))
      write(time / 60 % 60, 2)
      write(UInt8(ascii: ":"))
      write(time % 60, 2)
      for place in 0..<zone.utf8CodeUnitCount { write(zone.utf8Start[place]) }
      count = end
    }
  }

  // The Gregorian calendar in years that begin in March: a leap day is their last one.

  private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let (era, day) = (shifted / 146_097, shifted % 146_097)
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let ofYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * ofYear + 2) / 153
    return (
      year + era * 400 + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9, ofYear - (153 * month + 2) / 5 + 1
    )
  }

  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    // Only March and November are asked for.
    let ofYear = (153 * (month - 3) + 2) / 5 + day - 1
    let (era, ofEra) = (year / 400, year % 400)
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }

  /// 1970 began on a Thursday.
  private static func sunday(onOrAfter day: Int64) -> Int64 { day + (7 - (day + 4) % 7) % 7 }
}
