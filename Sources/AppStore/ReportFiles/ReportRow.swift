internal import Foundation

/// The fields of one line, without the spaces around them.
struct ReportRow {
  /// The number of the line in the text, from 1.
  var line = 0
  /// The bytes of all fields, one after the other.
  private(set) var bytes: [UInt8] = []
  /// The end of each field in ``bytes``.
  private(set) var ends: [Int] = []

  /// Returns the bytes of a field.
  subscript(index: Int) -> ArraySlice<UInt8> { bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]] }

  /// Returns the text of a field.
  func text(_ index: Int) -> String { String(decoding: self[index], as: UTF8.self) }

  /// The texts of all fields.
  var texts: [String] { ends.indices.map { text($0) } }

  /// Reads the next line that has a character.
  /// - Parameters:
  ///   - text: the lines.
  ///   - position: the start of the line in `text`; moved behind the line.
  ///   - separator: the byte between fields. Only fields between commas and semicolons may stand in quotation marks.
  /// - Returns: whether there was such a line.
  mutating func read(_ text: UnsafeRawBufferPointer, from position: inout Int, separator: UInt8) -> Bool {
    while position < text.count {
      line += 1
      let rest = UnsafeRawBufferPointer(rebasing: text[position...])
      var length = ByteSearch.first(Self.newline, in: rest) ?? rest.count
      if separator != Self.tab { length = Self.quotedLength(rest, length) }
      position += min(length + 1, rest.count)
      if length > 0, rest[length - 1] == Self.carriageReturn { length -= 1 }
      guard length > 0 else { continue }
      split(UnsafeRawBufferPointer(rebasing: rest[..<length]), separator)
      return true
    }
    return false
  }

  /// Returns the length of a line whose fields may have line ends between quotation marks.
  private static func quotedLength(_ rest: UnsafeRawBufferPointer, _ first: Int) -> Int {
    var (length, start, isQuoted) = (first, 0, false)
    while true {
      for byte in rest[start..<length] where byte == quote { isQuoted.toggle() }
      guard isQuoted, length < rest.count else { return length }
      start = length + 1
      let tail = UnsafeRawBufferPointer(rebasing: rest[start...])
      length = start + (ByteSearch.first(newline, in: tail) ?? tail.count)
    }
  }

  private mutating func split(_ line: UnsafeRawBufferPointer, _ separator: UInt8) {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    var start = 0
    while true {
      var end = start
      var hasQuotes = false
      if separator == Self.tab {
        let rest = UnsafeRawBufferPointer(rebasing: line[start...])
        end = start + (ByteSearch.first(separator, in: rest) ?? rest.count)
      } else {
        var isQuoted = false
        while end < line.count, isQuoted || line[end] != separator {
          if line[end] == Self.quote { (isQuoted, hasQuotes) = (!isQuoted, true) }
          end += 1
        }
      }
      append(line, start, end, hasQuotes: hasQuotes)
      guard end < line.count else { return }
      start = end + 1
    }
  }

  private mutating func append(_ line: UnsafeRawBufferPointer, _ start: Int, _ end: Int, hasQuotes: Bool) {
    var (start, end) = (start, end)
    func trim() {
      while start < end, line[start] == Self.space { start += 1 }
      while end > start, line[end - 1] == Self.space { end -= 1 }
    }
    trim()
    guard hasQuotes, end - start > 1, line[start] == Self.quote, line[end - 1] == Self.quote else {
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: line[start..<end]))
      ends.append(bytes.count)
      return
    }
    (start, end) = (start + 1, end - 1)
    trim()
    var index = start
    while index < end {
      bytes.append(line[index])
      index += line[index] == Self.quote && index + 1 < end && line[index + 1] == Self.quote ? 2 : 1
    }
    ends.append(bytes.count)
  }

  private static let (tab, newline, carriageReturn) = (UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"))
  private static let (quote, space) = (UInt8(ascii: "\""), UInt8(ascii: " "))
}

/// The values in reports.
enum ReportValue {
  /// Reads a whole number, which may have a minus sign and decimals of zero.
  static func integer(_ text: ArraySlice<UInt8>) -> Int64? {
    guard let amount = amount(text)?.rawValue, amount % 1000 == 0 else { return nil }
    return amount / 1000
  }

  /// Reads an amount, which may have a minus sign.
  static func amount(_ text: ArraySlice<UInt8>) -> Milliunits? {
    guard text.first == UInt8(ascii: "-") else { return Milliunits(decimal: text) }
    return Milliunits(decimal: text.dropFirst()).map { Milliunits(-$0.rawValue) }
  }

  /// Reads a date as Apple writes it: `2020-10-05`, or `10/05/2020` with the month first.
  static func day(_ text: ArraySlice<UInt8>) -> Instant? {
    guard text.count == 10 else { return nil }
    let first = text.startIndex
    func number(_ offset: Int, _ count: Int) -> Int64? {
      var value: Int64 = 0
      for byte in text[(first + offset)..<(first + offset + count)] {
        guard isDigit(byte) else { return nil }
        value = value * 10 + Int64(byte - 0x30)
      }
      return value
    }
    let parts: (year: Int64?, month: Int64?, day: Int64?)
    if text[first + 4] == UInt8(ascii: "-"), text[first + 7] == UInt8(ascii: "-") {
      parts = (number(0, 4), number(5, 2), number(8, 2))
    } else if text[first + 2] == UInt8(ascii: "/"), text[first + 5] == UInt8(ascii: "/") {
      parts = (number(6, 4), number(0, 2), number(3, 2))
    } else {
      return nil
    }
    guard let year = parts.year, let month = parts.month, let day = parts.day,
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    return Instant(milliseconds: date.dayNumber * 86_400_000)
  }

  /// Returns whether a program changed a whole number, for example to `1.5E+09`.
  static func isChangedNumber(_ text: ArraySlice<UInt8>) -> Bool {
    text.first.map(isDigit) == true && !text.allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Returns whether a text says yes.
  static func isYes(_ text: ArraySlice<UInt8>) -> Bool {
    text.count == 3 && text.lazy.map { $0 | 0x20 }.elementsEqual("yes".utf8)
  }
}
