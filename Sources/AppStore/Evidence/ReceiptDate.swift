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
    let year = CivilDate(dayNumber: seconds / 86_400).year
    let begins = Self.sunday(onOrAfter: CivilDate(uncheckedYear: year, month: 3, day: 8)) * 86_400 + 36_000
    let ends = Self.sunday(onOrAfter: CivilDate(uncheckedYear: year, month: 11, day: 1)) * 86_400 + 32_400
    return Self.words(seconds - ((begins..<ends).contains(seconds) ? 25_200 : 28_800), " America/Los_Angeles")
  }

  private static func words(_ seconds: Int64, _ zone: StaticString) -> [UInt8] {
    let (date, time) = (CivilDate(dayNumber: seconds / 86_400), seconds % 86_400)
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

  /// 1970 began on a Thursday.
  private static func sunday(onOrAfter date: CivilDate) -> Int64 {
    let day = date.dayNumber
    return day + (7 - (day + 4) % 7) % 7
  }
}
