/// A dated statement about the tax in a price, or about Apple's commission. Proceeds are estimated with these statements. The
/// owner of a ledger states them, and some come with the program.
public struct ProceedsTerm: Sendable, Hashable {
  /// What a statement is about. The names are stable.
  public enum Kind: String, Sendable, CaseIterable {
    /// The tax in a price, as a part of the price without tax.
    case tax
    /// The part that Apple takes of the price without tax.
    case commission
    /// The commission after a year of paid service, and in a program.
    case reducedCommission = "reduced_commission"
    /// Whether the account or the app is in a program with the reduced commission, such as the Small Business Program.
    case program
  }

  /// What the statement is about.
  public var kind: Kind
  /// The storefront, in three letters (ISO 3166); `nil` for all.
  public var storefront: String?
  /// The app; `nil` for all.
  public var bundleID: String?
  /// The day from which the statement is valid, as its first millisecond in UTC since 1970.
  public var day: Instant
  /// The rate in thousandths of a percent: 19,000 is 19 percent. For a program it is 100,000 (in it) or 0. `nil` removes
  /// the statement of this day.
  public var rate: Int64?
  /// Where the statement comes from; `nil` if its owner does not say so.
  public var source: String?

  /// Creates a statement of the ledger's owner.
  package init(
    _ kind: Kind, storefront: String?, bundleID: String?, day: Instant, rate: Int64?, source: String?
  ) {
    (self.kind, self.storefront, self.bundleID) = (kind, storefront, bundleID)
    (self.day, self.rate, self.source) = (day, rate, source)
  }

  /// The rate as a table has it: a percentage such as `7.5`, `yes` or `no` for a program, `none` for a removal.
  public var value: String {
    guard let rate else { return "none" }
    if kind == .program { return rate > 0 ? "yes" : "no" }
    return Self.percentage(rate)
  }

  /// Returns a rate in thousandths of a percent as a percentage, such as `7.5`.
  public static func percentage(_ rate: Int64) -> String {
    Currency.number(rate.magnitude, isNegative: rate < 0, decimals: 0, most: 3)
  }

  /// Reads a table in CSV with the columns `term`, `from` (2026-03-01) and `value`, and perhaps `storefront` (DEU), `app`
  /// (a bundle id) and `source`. An empty storefront or app means all.
  /// - Parameter text: UTF-8 bytes.
  /// - Throws: ``TableError`` with the first line that is not valid. No statement of the table is then returned.
  public static func table(_ text: [UInt8]) throws(TableError) -> [ProceedsTerm] {
    let table = try CSVTable(text, required: ["term", "from", "value"], optional: ["storefront", "app", "source"])
    var terms: [ProceedsTerm] = []
    var lines: [[String]: Int] = [:]
    for (line, values) in table.rows {
      terms.append(try ProceedsTerm(values, line: line))
      if let other = lines.updateValue(line, forKey: [values[0], values[1], values[3], values[4]]) {
        throw TableError(line: line, message: "line \(other) states the same term for the same day")
      }
    }
    return terms
  }

  private init(_ values: [String], line: Int) throws(TableError) {
    guard let kind = Kind(rawValue: values[0]) else {
      throw TableError(
        line: line, message: "the term is not one of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard let day = Instant(date: values[1]) else {
      throw TableError(line: line, message: "the date is not valid; write it like 2026-03-01")
    }
    let storefront = values[3]
    guard storefront.isEmpty || storefront.utf8.count == 3 && storefront.utf8.allSatisfy({ (65...90).contains($0) })
    else { throw TableError(line: line, message: "a storefront is three capital letters, such as DEU") }
    self.init(
      kind, storefront: storefront.isEmpty ? nil : storefront, bundleID: values[4].isEmpty ? nil : values[4], day: day,
      rate: try Self.rate(values[2], kind, line: line), source: values[5].isEmpty ? nil : values[5])
  }

  private static func rate(_ text: String, _ kind: Kind, line: Int) throws(TableError) -> Int64? {
    if text == "none" { return nil }
    if kind == .program {
      guard ["yes", "no"].contains(text) else {
        throw TableError(line: line, message: "the value of a program is yes, no or none")
      }
      return text == "yes" ? 100_000 : 0
    }
    let isMarked = text.last == "%"
    let number = isMarked ? String(text.dropLast().reversed().drop { $0 == " " }.reversed()) : text
    guard let rate = Milliunits(number)?.rawValue, (0...100_000).contains(rate) else {
      throw TableError(
        line: line, message: "the value is not a percentage such as 19 or 7.5, with a point and at most three decimals")
    }
    guard isMarked || rate == 0 || rate >= 1000 else {
      throw TableError(line: line, message: "the value is less than one percent; write 19 for 19 percent, or 0.5%")
    }
    return rate
  }
}
