public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// What two of Apple's daily reports must agree about. The names are stable.
public enum AppleReportComparison: String, Sendable, CaseIterable {
  /// Units of auto-renewable subscriptions that were sold: `sales` and `subscriber`.
  case payments
  /// Units of auto-renewable subscriptions that were returned: `sales` and `subscriber`.
  case refunds
  /// How the number of a product's subscriptions changes: `subscription` and `subscription_event`.
  case subscriptions

  /// The report with the first figure, and the one with the second.
  public var reports: (first: AppleReportType, second: AppleReportType) {
    switch self {
    case .payments, .refunds: (.sales, .subscriber)
    case .subscriptions: (.subscription, .subscriptionEvent)
    }
  }
}

/// How far two of Apple's reports agree. Figures are counted by day and product, and those of payments and refunds by
/// country and price too.
public struct AppleReportAgreement: Sendable, Equatable {
  /// What the two reports must agree about.
  public var comparison: AppleReportComparison
  /// The number of days with figures.
  public var days: Int64 = 0
  /// The number of figures.
  public var figures: Int64 = 0
  /// The number of figures that are equal in both reports.
  public var agreed: Int64 = 0
  /// The units of differences that refunds of the day explain.
  public var refunds: Int64 = 0
  /// The units of differences that the ends of earlier refunds explain.
  public var reversals: Int64 = 0
  /// The units that nothing explains.
  public var unexplained: Int64 = 0
}

/// A figure of which two of Apple's reports say something different, for no known reason.
public struct AppleReportDifference: Sendable, Equatable {
  /// What the two reports must agree about.
  public var comparison: AppleReportComparison
  /// The vendor number; `nil` where the names of the files have none.
  public var vendorNumber: String?
  /// The day, as the first millisecond of its date in UTC.
  public var day: Instant
  /// Apple's number of the product in the App Store.
  public var productAppleID: String?
  /// The product id; `nil` where nothing says to which product the number belongs.
  public var productID: String?
  /// The country as the reports state it; `nil` for ``AppleReportComparison/subscriptions``.
  public var country: String?
  /// The currency of the price; `nil` for ``AppleReportComparison/subscriptions``.
  public var currency: String?
  /// The price of a unit in milliunits of ``currency``, negative for refunds; `nil` for
  /// ``AppleReportComparison/subscriptions``.
  public var price: Milliunits?
  /// The units by the first report.
  public var first: Int64
  /// The units by the second report.
  public var second: Int64
  /// How many more units the first report has than the second one and known reasons explain.
  public var unexplained: Int64
}

extension LedgerReader {
  /// Compares Apple's daily reports with each other. The ledger's purchases play no part.
  /// - Parameters:
  ///   - parameters: when the reports were known.
  ///   - first: the first day, as the first millisecond of its date in UTC; `nil` for no limit.
  ///   - last: the last day, written as `first`.
  /// - Returns: a row for each comparison, and the figures with an unexplained difference by comparison and day.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func compareAppleReports(
    _ parameters: QueryParameters, from first: Instant? = nil, to last: Instant? = nil
  ) throws -> (agreements: [AppleReportAgreement], differences: [AppleReportDifference]) {
    try lookUp("apple_report_comparison") { database in
      try parameters.write(to: database)
      var agreements: [AppleReportComparison: AppleReportAgreement] = [:]
      var differences: [AppleReportDifference] = []
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT * FROM temp.apple_report_comparison WHERE day_at >= ? AND day_at <= ?
          ORDER BY comparison, day_at, vendor_number, product_apple_id, country, currency, price_milliunits
          """,
        arguments: [first?.milliseconds ?? .min, last?.milliseconds ?? .max])
      var lastDay: (AppleReportComparison, Int64)?
      while let row = try rows.next() {
        let comparison: AppleReportComparison = try row.value("comparison")
        let (day, unexplained): (Int64, Int64) = (row["day_at"], row["unexplained_units"])
        var one = agreements[comparison] ?? AppleReportAgreement(comparison: comparison)
        if lastDay.map({ $0 != (comparison, day) }) ?? true { one.days += 1 }
        lastDay = (comparison, day)
        one.figures += 1
        if row["first_units"] as Int64 == row["second_units"] { one.agreed += 1 }
        one.refunds -= row["refund_units"] as Int64
        one.reversals += row["reversal_units"] as Int64
        one.unexplained += abs(unexplained)
        agreements[comparison] = one
        if unexplained != 0 { differences.append(AppleReportDifference(comparison, row)) }
      }
      return (
        AppleReportComparison.allCases.map { agreements[$0] ?? AppleReportAgreement(comparison: $0) }, differences
      )
    }
  }
}

extension AppleReportDifference {
  fileprivate init(_ comparison: AppleReportComparison, _ row: Row) {
    self.init(
      comparison: comparison, vendorNumber: row["vendor_number"], day: Instant(milliseconds: row["day_at"]),
      productAppleID: row["product_apple_id"], productID: row["product_id"], country: row["country"],
      currency: row["currency"], price: (row["price_milliunits"] as Int64?).map { Milliunits($0) },
      first: row["first_units"], second: row["second_units"], unexplained: row["unexplained_units"])
  }
}
