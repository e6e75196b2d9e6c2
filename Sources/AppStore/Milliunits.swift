/// An amount of money in milliunits, as Apple's `price` has it: thousandths of a currency's unit. 4990 is 4.99.
public struct Milliunits: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  /// The number of milliunits.
  public var rawValue: Int64

  /// Creates an amount from a number of milliunits.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// Creates an amount from a number of milliunits.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }

  /// Creates an amount from a number of milliunits that stands in the source of a program.
  public init(integerLiteral value: Int64) { rawValue = value }

  /// Creates an exact amount from a text as people write it, such as `4.99`. A text with a sign, a thousands separator or
  /// more than three decimals is not one.
  init?(_ text: String) { self.init(decimal: Array(text.utf8)[...]) }

  /// Creates an exact amount from the bytes of such a text.
  init?(decimal text: ArraySlice<UInt8>) {
    var (value, digits, index): (Int64, Int, Int) = (0, 0, text.startIndex)
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    while index < text.endIndex, isDigit(text[index]) {
      (value, digits, index) = (value * 10 + Int64(text[index] - 0x30), digits + 1, index + 1)
      if digits > 12 { return nil }
    }
    guard digits > 0 else { return nil }
    var decimals = 0
    if index < text.endIndex {
      guard text[index] == UInt8(ascii: "."), index + 1 < text.endIndex else { return nil }
      for byte in text[(index + 1)...] {
        // More than three decimals are zeros.
        guard decimals < 3 ? isDigit(byte) : byte == 0x30 else { return nil }
        if decimals < 3 { (value, decimals) = (value * 10 + Int64(byte - 0x30), decimals + 1) }
      }
    }
    for _ in decimals..<3 { value *= 10 }
    rawValue = value
  }

  /// Compares two amounts of one currency.
  public static func < (one: Milliunits, other: Milliunits) -> Bool { one.rawValue < other.rawValue }
}
