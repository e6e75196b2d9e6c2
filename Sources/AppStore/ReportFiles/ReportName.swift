/// What the name of a file states about a report. Apple writes names such as `Subscriber_80012345_20201005.txt`.
struct ReportName: Equatable {
  /// The vendor number; `nil` if the name has none.
  var vendorNumber: String?
  /// The day, as the first millisecond of that date in UTC; `nil` if the name has none.
  var day: Instant?
  /// The region of a financial report, such as `US`; `nil` if the name has none.
  var region: String?

  /// Reads a name or path. The day is the last date in the name; the vendor number is the number before it.
  init(_ path: String) {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map(Substring.init) ?? ""
    let numbers = name.split { !$0.isASCII || !$0.isNumber }
    // Financial reports have a month: 80012345_1225_ZZ.txt, or FD_80012345_1225.txt.
    if let index = numbers.indices.first(where: { numbers[$0].utf8.count == 4 && $0 > 0 }),
      (5...12).contains(numbers[index - 1].utf8.count)
    {
      vendorNumber = String(numbers[index - 1])
      let rest = name[numbers[index].endIndex...].dropFirst().prefix { $0.isASCII && $0.isLetter }
      region = rest.utf8.count == 2 ? rest.uppercased() : nil
      return
    }
    for index in numbers.indices.reversed() {
      let number = numbers[index]
      if number.utf8.count == 8, let date = Self.date(number.prefix(4), number.dropFirst(4).prefix(2), number.suffix(2))
      {
        day = date
        vendorNumber = Self.vendorNumber(in: numbers[..<index])
        return
      }
      if index >= 2, number.utf8.count == 2, let date = Self.date(numbers[index - 2], numbers[index - 1], number) {
        day = date
        vendorNumber = Self.vendorNumber(in: numbers[..<(index - 2)])
        return
      }
    }
  }

  private static func vendorNumber(in numbers: ArraySlice<Substring>) -> String? {
    numbers.last { (5...12).contains($0.utf8.count) }.map(String.init)
  }

  /// Returns a date from the App Store's opening until 2100; `nil` for other numbers.
  private static func date(_ year: Substring, _ month: Substring, _ day: Substring) -> Instant? {
    guard year.utf8.count == 4, month.utf8.count == 2, let date = Instant(date: "\(year)-\(month)-\(day)"),
      date < Instant(milliseconds: 4_102_444_800_000)
    else { return nil }
    return date
  }
}
