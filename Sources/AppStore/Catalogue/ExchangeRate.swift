internal import SwiftCSV

/// What one unit of a currency was worth in another on a day, as the owner of a ledger says: Apple names no rates.
public struct ExchangeRate: Sendable, Equatable {
  /// The day (UTC) from which it holds: its first millisecond since 1970.
  public var day: Instant
  /// One unit of this: a code of ISO 4217.
  public var currency: String
  /// In units of this.
  public var into: String
  /// The rate is `numerator` / `denominator`.
  public var numerator: Int64
  /// 1,000,000, or 1,000,000,000 for rates below one.
  public var denominator: Int64

  /// Reads a table with the columns `date` (2026-03-01), `currency`, `into` and `rate` (a decimal number such as 0.9234).
  /// - Throws: ``PayloadError`` with the line, where a row says something else: a table is taken whole or not at all.
  public static func table(_ text: [UInt8]) throws(ExchangeRateError) -> [ExchangeRate] {
    let csv: EnumeratedCSV
    do { csv = try EnumeratedCSV(string: String(decoding: text, as: UTF8.self), delimiter: .comma) } catch {
      throw ExchangeRateError(line: 1, words: "this is no table: its first line names the columns")
    }
    let header = csv.header.map { $0.lowercased().filter { !$0.isWhitespace && $0 != "\u{FEFF}" } }
    var places: [Int] = []
    for name in ["date", "currency", "into", "rate"] {
      guard let place = header.firstIndex(of: name) else {
        throw ExchangeRateError(
          line: 1, words: "there is no column \(name): the first line is date,currency,into,rate")
      }
      places.append(place)
    }
    var rates: [ExchangeRate] = []
    for (number, row) in csv.rows.enumerated() where row != [""] {
      guard row.count == header.count else {
        throw ExchangeRateError(line: number + 2, words: "it has \(row.count) columns, and not \(header.count)")
      }
      rates.append(try ExchangeRate(places.map { row[$0].trimmingSpaces }, line: number + 2))
    }
    return rates
  }

  private init(_ fields: [String], line: Int) throws(ExchangeRateError) {
    guard fields[0].utf8.count == 10, let day = Instant(fields[0]), day >= .appStoreOpening else {
      throw ExchangeRateError(line: line, words: "the date is none: write it as 2026-03-01")
    }
    for code in fields[1...2] where code.utf8.count != 3 || !code.utf8.allSatisfy({ (65...90).contains($0) }) {
      throw ExchangeRateError(line: line, words: "a currency is three capital letters, such as EUR")
    }
    guard fields[1] != fields[2] else {
      throw ExchangeRateError(line: line, words: "a currency needs no rate into itself")
    }
    guard let (numerator, denominator) = Self.rate(fields[3]) else {
      throw ExchangeRateError(
        line: line,
        words:
          "the rate is no positive decimal number with at most nine digits before the point and after it, such as 0.9234"
      )
    }
    (self.day, currency, into) = (day, fields[1], fields[2])
    (self.numerator, self.denominator) = (numerator, denominator)
  }

  /// A decimal number as a fraction, without a detour through binary ones.
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
    let kept = String(fraction.prefix(digits)) + String(repeating: "0", count: max(0, digits - fraction.count))
    var denominator: Int64 = 1
    for _ in 0..<digits { denominator *= 10 }
    guard let part = Int64(kept), whole * denominator + part > 0 else { return nil }
    return (whole * denominator + part, denominator)
  }
}

/// Why a table of rates is not taken.
public struct ExchangeRateError: Error, Sendable, Equatable {
  /// In which line, from 1.
  public let line: Int
  /// What is wrong, without a full stop.
  public let words: String
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
