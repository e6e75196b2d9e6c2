/// The sums of a financial report, and the totals that the file states of them. A file without totals may be cut.
struct FinanceTotals {
  private struct Key: Hashable { let country, currency: String }
  private struct Sum: Equatable {
    var units: Int64 = 0
    /// The proceeds in milliunits of the currency.
    var amount: Int64 = 0
  }

  /// The sums of the rows since the last totals.
  private var sums: [Key: Sum] = [:]
  private var rowCount: Int64 = 0
  /// Of ``sums`` those that the file has not stated yet; `nil` outside of the block of countries.
  private var open: [Key: Sum]?
  private var hasTotals = false

  /// Adds a row to the sums.
  /// - Returns: `false` if a sum is too large.
  mutating func add(country: String, currency: String, units: Int64, amount: Int64) -> Bool {
    rowCount += 1
    hasTotals = false
    var sum = sums[Key(country: country, currency: currency)] ?? Sum()
    let (units, isOver) = sum.units.addingReportingOverflow(units)
    let (amount, isOverAmount) = sum.amount.addingReportingOverflow(amount)
    (sum.units, sum.amount) = (units, amount)
    sums[Key(country: country, currency: currency)] = sum
    return !isOver && !isOverAmount && abs(units) <= FigureSums.limit && abs(amount) <= FigureSums.limit
      && sums.count <= 100_000
  }

  /// Reads a line if it is one of the totals, or the header again.
  /// - Returns: whether it was.
  /// - Throws: `AppleReportError` if a total is not that of the rows.
  mutating func read(_ row: ReportRow, _ header: ReportHeader) throws(AppleReportError) -> Bool {
    let first = ReportHeader.key(row.text(0))
    guard row.ends.count != header.names.count || first.hasPrefix("total") || first == header.keys[0] else {
      return false
    }
    let texts = row.texts
    let keys = texts.map(ReportHeader.key)
    if keys == header.keys {
      (sums, rowCount, open) = ([:], 0, nil)
      return true
    }
    if keys.first?.hasPrefix("total") == true {
      try readTotal(keys[0], texts.dropFirst().first { !$0.isEmpty } ?? "", row.line)
      return true
    }
    if Array(keys.prefix(4)) == ["countryofsale", "partnersharecurrency", "quantity", "extendedpartnershare"],
      texts.count < header.names.count
    {
      (open, hasTotals) = (sums, true)
      return true
    }
    guard open != nil, texts.count >= 4 else { return false }
    try readCountry(row)
    return true
  }

  /// Reads a line such as `Total_Units 12`.
  private mutating func readTotal(_ name: String, _ text: String, _ line: Int) throws(AppleReportError) {
    let (units, amount) = (sums.values.reduce(0) { $0 + $1.units }, sums.values.reduce(0) { $0 + $1.amount })
    let expected: Int64? =
      switch name {
      case "totalrows": rowCount * 1000
      case "totalunits": units * 1000
      // Amounts in several currencies have no sum.
      case "totalamount" where Set(sums.keys.map(\.currency)).count == 1: amount
      default: nil
      }
    hasTotals = true
    guard let expected else { return }
    guard ReportValue.amount(Array(text.utf8)[...])?.rawValue == expected else {
      throw AppleReportError(.contradictoryTotals, line: line, "this total is not that of the rows before it")
    }
  }

  /// Reads a line of the block of countries.
  private mutating func readCountry(_ row: ReportRow) throws(AppleReportError) {
    let key = Key(country: row.text(0), currency: row.text(1))
    guard let units = ReportValue.integer(row[2]), let amount = ReportValue.amount(row[3]) else {
      throw AppleReportError(.unreadableValue, line: row.line, "the totals of a country are not numbers")
    }
    guard open?.removeValue(forKey: key) == Sum(units: units, amount: amount.rawValue) else {
      throw AppleReportError(
        .contradictoryTotals, line: row.line, "these totals are not those of the country's rows")
    }
  }

  /// Checks that totals follow all rows, and that all countries have theirs.
  func checkThatAllAreClosed() throws(AppleReportError) {
    guard hasTotals, open?.isEmpty ?? true else {
      throw AppleReportError(.missingTotals, "the file ends without the totals of all rows")
    }
  }
}
