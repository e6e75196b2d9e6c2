/// A point in time as milliseconds since 1970-01-01T00:00:00Z, the unit of Apple's dates.
public struct Instant: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number of milliseconds since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64

  /// Creates an instant from milliseconds since 1970-01-01T00:00:00Z.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Returns the instant some milliseconds later.
  package static func + (instant: Instant, milliseconds: Int64) -> Instant {
    Instant(milliseconds: instant.milliseconds + milliseconds)
  }

  /// Returns whether the left instant is earlier.
  public static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }

  /// The instant at which the App Store opened (2008-07-10). An earlier received instant is in seconds instead of
  /// milliseconds, or comes from a clock that was never set.
  public static let appStoreOpening = Instant(milliseconds: 1_215_648_000_000)

  /// The accepted difference between two clocks: a day, in milliseconds.
  private static let clockDifference: Int64 = 86_400_000

  /// Returns whether this instant is more than a day after a clock. Clocks may differ by a day, so a later instant is
  /// wrong.
  public func isMoreThanOneDay(after now: Instant) -> Bool { milliseconds - now.milliseconds > Self.clockDifference }

  /// The first instant with a four-digit year: the start of the year 1.
  static let earliest = Instant(milliseconds: -62_135_596_800_000)

  /// The last instant with a four-digit year: the end of the year 9999.
  public static let latest = Instant(milliseconds: 253_402_300_799_999)

  /// The instant as ISO 8601, always in UTC and with milliseconds: `2026-03-01T00:00:00.000Z`.
  public var description: String {
    let day = milliseconds.floorDivided(by: 86_400_000)
    let remainder = milliseconds % 86_400_000
    let inDay = remainder < 0 ? remainder + 86_400_000 : remainder
    let date = CivilDate(dayNumber: day)
    func pad(_ value: Int64, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return pad(date.year, 4) + "-" + pad(date.month, 2) + "-" + pad(date.day, 2) + "T"
      + pad(inDay / 3_600_000, 2) + ":" + pad(inDay / 60_000 % 60, 2) + ":" + pad(inDay / 1000 % 60, 2) + "."
      + pad(inDay % 1000, 3) + "Z"
  }

  /// Reads ISO 8601 (`2026-03-01`, `2026-03-01T10:00:00Z`, with a fraction or an offset such as `+01:00`) or
  /// milliseconds since 1970. A date and time without a zone is UTC.
  /// - Returns: `nil` for any other text, and for a date that does not exist.
  public init?(_ text: some StringProtocol) {
    if !text.isEmpty, text.allSatisfy({ $0.isASCII && $0.isNumber }), text.count > 8 {
      guard let value = Int64(text), value <= Instant.latest.milliseconds else { return nil }
      milliseconds = value
      return
    }
    var reader = DateReader(Array(text.utf8))
    guard let instant = reader.iso8601() else { return nil }
    self = instant
  }

  /// Reads a date such as `2026-03-01`, from the App Store's opening on, as its first millisecond in UTC.
  package init?(date text: some StringProtocol) {
    guard text.utf8.count == 10, let day = Instant(text), day >= .appStoreOpening else { return nil }
    self = day
  }

  /// The date in UTC, such as `2026-03-01`.
  package var date: String { String(description.prefix(10)) }

  /// Reads ISO 8601 with a date and a time, as app receipts have it.
  init?(iso8601 text: ArraySlice<UInt8>) {
    guard text.count > 10 else { return nil }
    var reader = DateReader(Array(text))
    guard let instant = reader.iso8601() else { return nil }
    self = instant
  }

  /// Reads the text dates of old receipts: `2016-06-09 13:59:40 Etc/GMT`, also with a shortened zone. It refuses
  /// `America/Los_Angeles`, because the text does not state the offset.
  init?(receiptText text: String) {
    var reader = DateReader(Array(text.utf8))
    guard let date = reader.receiptText(), !date.isPacific else { return nil }
    self.init(milliseconds: date.milliseconds)
  }

  /// Returns whether a receipt's text date, in GMT or in Pacific time, names the second of this instant.
  ///
  /// Pacific time is seven or eight hours behind. The function accepts both, because Apple writes the date in GMT
  /// beside it.
  /// - Returns: `nil` for a text that is not such a date.
  func agrees(withReceiptText text: ArraySlice<UInt8>) -> Bool? {
    if text.withUnsafeBufferPointer(isWritten) { return true }
    var reader = DateReader(Array(text))
    guard let date = reader.receiptText() else { return nil }
    let offsets: [Int64] = date.isPacific ? [7 * 3_600_000, 8 * 3_600_000] : [0]
    return offsets.contains { abs(date.milliseconds + $0 - milliseconds) < 1000 }
  }
}

extension Instant {
  /// Returns whether a text is this second in Apple's usual form. This fast check succeeds for nearly every text date,
  /// and a receipt row has eight of them.
  private func isWritten(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    func number(_ index: Int, _ count: Int) -> Int64 {
      text[index..<index + count].reduce(0) { $0 * 10 + Int64($1) - 0x30 }
    }
    // The form is 2016-06-09 13:59:40 Etc/GMT, or that with America/Los_Angeles.
    let isPacific = text.count == 39
    guard text.count == 27 || isPacific, text[4] == 0x2D, text[7] == 0x2D, text[10] == 0x20, text[13] == 0x3A,
      text[16] == 0x3A, text[19] == 0x20, text[20] == UInt8(ascii: isPacific ? "A" : "E")
    else { return false }
    let day = CivilDate(uncheckedYear: number(0, 4), month: number(5, 2), day: number(8, 2)).dayNumber
    let time = day * 86_400_000 + number(11, 2) * 3_600_000 + number(14, 2) * 60_000 + number(17, 2) * 1000
    let behind = milliseconds.floorDivided(by: 1000) * 1000 - time
    return isPacific ? behind == 7 * 3_600_000 || behind == 8 * 3_600_000 : behind == 0
  }
}

extension Int64 {
  func floorDivided(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}

/// A date of the proleptic Gregorian calendar, and its day number counted from 1970-01-01.
package struct CivilDate {
  /// The names of the months, January first.
  package static let monthNames = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]

  package var year: Int64
  package var month: Int64
  package var day: Int64

  /// The number of days since 1970-01-01. It counts in years that begin in March, so that the leap day comes last.
  package var dayNumber: Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted.floorDivided(by: 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  package init?(year: Int64, month: Int64, day: Int64) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[Int(month) - 1] else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Creates a date without checking it.
  package init(uncheckedYear year: Int64, month: Int64, day: Int64) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  package init(dayNumber: Int64) {
    let shifted = dayNumber + 719_468
    let era = shifted.floorDivided(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }
}

/// Reads dates byte by byte. It is faster than a formatter, and gives equal results on every machine and in every
/// locale.
private struct DateReader {
  let bytes: [UInt8]
  var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func digits(_ count: Int) -> Int64? {
    guard index + count <= bytes.count else { return nil }
    var value: Int64 = 0
    for byte in bytes[index..<index + count] {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      value = value * 10 + Int64(byte - 0x30)
    }
    index += count
    return value
  }

  mutating func skip(_ character: Character) -> Bool {
    guard index < bytes.count, bytes[index] == character.asciiValue else { return false }
    index += 1
    return true
  }

  mutating func date() -> Int64? {
    guard let year = digits(4), skip("-"), let month = digits(2), skip("-"), let day = digits(2),
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    return date.dayNumber * 86_400_000
  }

  mutating func time() -> Int64? {
    guard let hour = digits(2), skip(":"), let minute = digits(2), hour < 24, minute < 60 else { return nil }
    var value = hour * 3_600_000 + minute * 60_000
    guard skip(":") else { return value }
    guard let second = digits(2), second < 60 else { return nil }
    value += second * 1000
    guard skip(".") || skip(",") else { return value }
    var scale: Int64 = 100
    let start = index
    while let digit = digits(1) {
      value += digit * scale
      scale /= 10
    }
    return index > start ? value : nil
  }

  mutating func iso8601() -> Instant? {
    guard let day = date() else { return nil }
    if index == bytes.count { return Instant(milliseconds: day) }
    guard skip("T") || skip("t") || skip(" "), let time = time() else { return nil }
    var offset: Int64 = 0
    if index < bytes.count, !(skip("Z") || skip("z")) {
      let isAhead = skip("+")
      guard isAhead || skip("-"), let hours = digits(2) else { return nil }
      _ = skip(":")
      guard let minutes = index == bytes.count ? 0 : digits(2), hours < 24, minutes < 60 else { return nil }
      offset = (hours * 60 + minutes) * 60_000 * (isAhead ? 1 : -1)
    }
    guard index == bytes.count else { return nil }
    // An offset may lead to a year that does not have four digits.
    let instant = Instant(milliseconds: day + time - offset)
    return instant >= .earliest && instant <= .latest ? instant : nil
  }

  /// Reads a date and time as written, and whether they are in Pacific time.
  mutating func receiptText() -> (milliseconds: Int64, isPacific: Bool)? {
    guard let day = date() else { return nil }
    guard skip(" ") || skip("T"), let time = time() else { return nil }
    let zone = String(decoding: bytes[index...], as: UTF8.self).trimmingSpace
    if zone == "America/Los_Angeles" { return (day + time, true) }
    guard zone.isEmpty || zone == "Z" || zone == "GMT" || "Etc/GMT".hasPrefix(zone) || "UTC" == zone else { return nil }
    return (day + time, false)
  }
}

extension String {
  package var trimmingSpace: String {
    // Nearly every text has plain letters at both ends, so nothing to trim.
    if let first = utf8.first, let last = utf8.last, (0x21...0x7E).contains(first), (0x21...0x7E).contains(last) {
      return self
    }
    var text = Substring(self)
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

extension Instant {
  /// Returns the same time of day, months and days later. If the month does not have the day, its last day counts.
  package func adding(months: Int64, days: Int64) -> Instant {
    let day = milliseconds / Self.day
    var date = CivilDate(dayNumber: day)
    let month = date.year * 12 + date.month - 1 + months
    let last = CivilDate(year: (month + 1) / 12, month: (month + 1) % 12 + 1, day: 1)?.dayNumber ?? 0
    let first = CivilDate(year: month / 12, month: month % 12 + 1, day: 1)?.dayNumber ?? 0
    date.day = min(date.day, last - first)
    return Instant(milliseconds: (first + date.day - 1 + days - day) * Self.day + milliseconds)
  }

  private static let day: Int64 = 86_400_000
}
