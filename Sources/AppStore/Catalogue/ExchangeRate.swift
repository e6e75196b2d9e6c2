/// The rate from one currency into another on a day. The owner of a ledger states it, because Apple publishes no rates.
public struct ExchangeRate: Sendable, Equatable {
  /// The day from which the rate applies, as its first millisecond in UTC since 1970.
  public var day: Instant
  /// The currency of the amount to convert, as an ISO 4217 code.
  public var currency: String
  /// The currency into which the amount is converted, as an ISO 4217 code.
  public var into: String
  /// The numerator of the rate: one unit of ``currency`` is `numerator` / `denominator` units of ``into``.
  public var numerator: Int64
  /// The denominator of the rate: 1,000,000, or 1,000,000,000 for a rate below one.
  public var denominator: Int64

  /// Creates a rate of the owner's ledger.
  package init(day: Instant, currency: String, into: String, numerator: Int64, denominator: Int64) {
    (self.day, self.currency, self.into) = (day, currency, into)
    (self.numerator, self.denominator) = (numerator, denominator)
  }

  /// The rate as an exact decimal number, such as `0.9234`.
  public var decimal: String {
    let digits = String(denominator).utf8.count - 1
    let part = String(numerator % denominator)
    let fraction = (String(repeating: "0", count: digits - part.utf8.count) + part).reversed().drop { $0 == "0" }
    return "\(numerator / denominator)" + (fraction.isEmpty ? "" : "." + String(fraction.reversed()))
  }

  /// Reads a table in CSV with the columns `date` (2026-03-01), `currency`, `into` and `rate` (a decimal number such as
  /// 0.9234).
  /// - Parameter text: UTF-8 bytes.
  /// - Throws: ``TableError`` with the first line that is not valid. No rate of the table is then returned.
  public static func table(_ text: [UInt8]) throws(TableError) -> [ExchangeRate] {
    var rates: [ExchangeRate] = []
    for (line, values) in try CSVTable(text, required: ["date", "currency", "into", "rate"]).rows {
      rates.append(try ExchangeRate(values, line: line))
    }
    return rates
  }

  private init(_ fields: [String], line: Int) throws(TableError) {
    guard let day = Instant(date: fields[0]) else {
      throw TableError(line: line, message: "the date is not valid; write it like 2026-03-01")
    }
    for code in fields[1...2] where code.utf8.count != 3 || !code.utf8.allSatisfy({ (65...90).contains($0) }) {
      throw TableError(line: line, message: "a currency is three capital letters, such as EUR")
    }
    guard fields[1] != fields[2] else {
      throw TableError(line: line, message: "a currency needs no rate into itself")
    }
    guard let (numerator, denominator) = Self.rate(fields[3]) else {
      throw TableError(
        line: line,
        message:
          "the rate is not a positive decimal number such as 0.9234, with at most nine digits before the point"
      )
    }
    (self.day, currency, into) = (day, fields[1], fields[2])
    (self.numerator, self.denominator) = (numerator, denominator)
  }

  /// Returns a decimal number as a fraction of integers, without binary rounding. Digits beyond the denominator are cut
  /// off.
  private static func rate(_ text: String) -> (Int64, Int64)? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = Int64(parts[0]), whole >= 0, whole < 1_000_000_000,
      parts[0].utf8.first != UInt8(ascii: "+")
    else { return nil }
    let digits = whole == 0 ? 9 : 6
    let fraction = parts.count == 2 ? parts[1] : ""
    guard parts.count == 1 || !fraction.isEmpty, fraction.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    let padded = String(fraction.prefix(digits)) + String(repeating: "0", count: max(0, digits - fraction.count))
    var denominator: Int64 = 1
    for _ in 0..<digits { denominator *= 10 }
    guard let part = Int64(padded), whole * denominator + part > 0 else { return nil }
    return (whole * denominator + part, denominator)
  }
}
