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
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let first = parts.first, !first.isEmpty, first.count <= 12 else { return nil }
    guard parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), let whole = Int64(first) else {
      return nil
    }
    guard parts.count == 2 else {
      rawValue = whole * 1000
      return
    }
    var fraction = parts[1]
    while fraction.count > 3, fraction.last == "0" { fraction.removeLast() }
    guard (1...3).contains(fraction.count) else { return nil }
    guard let thousandths = Int64(fraction + String(repeating: "0", count: 3 - fraction.count)) else { return nil }
    rawValue = whole * 1000 + thousandths
  }

  /// Compares two amounts of one currency.
  public static func < (one: Milliunits, other: Milliunits) -> Bool { one.rawValue < other.rawValue }
}
