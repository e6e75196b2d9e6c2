public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// Proceeds of Apple's Summary Sales that are not those of the terms, at one price.
public struct ProceedsDifference: Sendable, Equatable {
  /// The first Pacific day with this difference, as the first millisecond of its date in UTC.
  public var firstDay: Instant
  /// The last day with it, written as ``firstDay``.
  public var lastDay: Instant
  /// The product id; `nil` if the report does not state it.
  public var productID: String?
  /// The country, as a code of three letters; `nil` where the report's code leads to none.
  public var country: String?
  /// The currency of the price and the proceeds.
  public var currency: String
  /// The price of a unit in milliunits; for a refund of a part, of the row.
  public var price: Milliunits
  /// Apple's proceeds of a unit in milliunits.
  public var proceeds: Milliunits
  /// The proceeds by the terms in milliunits; `nil` where no commission is stated for the day.
  public var termsProceeds: Milliunits?
  /// The tax of the terms in thousandths of a percent.
  public var taxRate: Int64?
  /// The commission of the terms in thousandths of a percent.
  public var commissionRate: Int64?
  /// The tax with which this commission gives Apple's proceeds, in thousandths of a percent.
  public var impliedTaxRate: Int64?
  /// The commission with which this tax gives Apple's proceeds, in thousandths of a percent.
  public var impliedCommissionRate: Int64?
  /// The number of units.
  public var units: Int64
}

extension LedgerReader {
  /// Returns the proceeds of the days of a request that are not those of the terms, those with the most units first.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func proceedsDifferences(_ request: ReconciliationRequest) throws -> [ProceedsDifference] {
    try readReconciliation(request) { items, database in
      var temporaryViews: Set<String> = []
      try items.prepareParameters(database, temporaryViews: &temporaryViews)
      try request.parameters.write(to: database)
      try Schema.createTemporaryViews(["proceeds_comparison"], on: database, temporaryViews: &temporaryViews)
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT
            MIN(day_at) AS first_day_at, MAX(day_at) AS last_day_at, product_id, country, currency, price_milliunits,
            proceeds_milliunits, terms_proceeds_milliunits, tax_rate, commission_rate, implied_tax_rate,
            implied_commission_rate, SUM(units) AS unit_count
          FROM temp.proceeds_comparison
          WHERE is_agreed = 0
          GROUP BY
            product_id, country, currency, price_milliunits, proceeds_milliunits, terms_proceeds_milliunits, tax_rate,
            commission_rate, implied_tax_rate, implied_commission_rate
          ORDER BY unit_count DESC, first_day_at, product_id, country, currency, price_milliunits, proceeds_milliunits
          """)
      return rows.map { row in
        ProceedsDifference(
          firstDay: Instant(milliseconds: row["first_day_at"]), lastDay: Instant(milliseconds: row["last_day_at"]),
          productID: row["product_id"], country: row["country"], currency: row["currency"],
          price: Milliunits(row["price_milliunits"]), proceeds: Milliunits(row["proceeds_milliunits"]),
          termsProceeds: (row["terms_proceeds_milliunits"] as Int64?).map { Milliunits($0) }, taxRate: row["tax_rate"],
          commissionRate: row["commission_rate"], impliedTaxRate: row["implied_tax_rate"],
          impliedCommissionRate: row["implied_commission_rate"], units: row["unit_count"])
      }
    }
  }
}
