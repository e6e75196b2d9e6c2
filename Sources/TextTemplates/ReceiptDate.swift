internal import AppStore

/// An instant as receipts write it in text: `2026-03-02 10:00:00 Etc/GMT`, and the equivalent in Pacific time.
///
/// It supports only instants from 2007 until before 2100, for which the current rule of daylight saving time applies.
struct ReceiptDate {
  private static let range: Range<Int64> = 1_167_609_600..<4_102_444_800
  /// The number of bytes of ``gmt``.
  static let greenwichCount = 27
  /// The number of bytes of ``pacific``.
  static let pacificCount = 39

  /// The number of seconds since 1970.
  private let seconds: Int64

  /// Reads milliseconds since 1970 as thirteen digits; `nil` for anything else.
  init?(milliseconds digits: some Collection<UInt8>) {
    guard digits.count == 13 else { return nil }
    var seconds: Int64 = 0
    var index = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      if index < 10 { seconds = seconds * 10 + Int64(digit - UInt8(ascii: "0")) }
      index += 1
    }
    guard Self.range.contains(seconds) else { return nil }
    self.seconds = seconds
  }

  /// The instant in UTC, as receipts write it.
  var gmt: [UInt8] { Self.text(seconds, " Etc/GMT") }

  /// The instant in the time of Los Angeles. Daylight saving time begins on the second Sunday of March at 10:00 UTC. It
  /// ends on the first Sunday of November at 9:00 UTC (Energy Policy Act of 2005).
  var pacific: [UInt8] {
    let year = CivilDate(dayNumber: seconds / 86_400).year
    let begins = Self.sunday(onOrAfter: CivilDate(uncheckedYear: year, month: 3, day: 8)) * 86_400 + 36_000
    let ends = Self.sunday(onOrAfter: CivilDate(uncheckedYear: year, month: 11, day: 1)) * 86_400 + 32_400
    return Self.text(seconds - ((begins..<ends).contains(seconds) ? 25_200 : 28_800), " America/Los_Angeles")
  }

  private static func text(_ seconds: Int64, _ zone: StaticString) -> [UInt8] {
    let (date, time) = (CivilDate(dayNumber: seconds / 86_400), seconds % 86_400)
    return [UInt8](unsafeUninitializedCapacity: 19 + zone.utf8CodeUnitCount) { bytes, count in
      var end = 0
      func write(_ number: Int64, _ width: Int) {
        var rest = number
        for index in (end..<end + width).reversed() {
          bytes[index] = UInt8(ascii: "0") + UInt8(rest % 10)
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
      for index in 0..<zone.utf8CodeUnitCount { write(zone.utf8Start[index]) }
      count = end
    }
  }

  /// Returns the day number of the first Sunday on or after a date. 1970 began on a Thursday.
  private static func sunday(onOrAfter date: CivilDate) -> Int64 {
    let day = date.dayNumber
    return day + (7 - (day + 4) % 7) % 7
  }
}
