internal import AppStore
internal import GRDB
internal import LedgerSchema
internal import LedgerStore

/// Compares the stored texts of reports with their digests (law 6), and the stored figures with the texts (law 5).
struct AppleReportAudit {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// Checks all reports of the file.
  func check() throws -> TextAudit.Result {
    var result = TextAudit.Result()
    for id in try database.numbers("SELECT report_id FROM main.apple_report ORDER BY report_id", []) {
      guard let stored = try StoredAppleReport(id, database) else { continue }
      result.count += 1
      let table = "apple_report"
      guard let report = try? stored.decoded(), report.digest == stored.digest else {
        result.findings.note(.digest, "\(table) \(id)", "its text has another digest", of: table)
        continue
      }
      if try rows(of: id) != Self.rows(of: report) {
        result.findings.note(
          .projection, "apple_figure", "differs from the text of \(table) \(id)", of: "apple_figure")
      }
    }
    return result
  }

  private static let columns = """
    t.digest, f.day_at, f.purchase_day_at, f.original_start_day_at, f.consecutive_paid_periods, f.days_before_canceling,
    f.days_canceled, f.units, f.customer_amount_milliunits, f.proceeds_amount_milliunits, f.row_count
    """

  private func rows(of report: Int64) throws -> [[DatabaseValue]] {
    try database.rows(
      """
      SELECT \(Self.columns) FROM main.apple_figure f JOIN main.apple_figure_dimensions t ON t.dimensions_id = f.dimensions_id
      WHERE f.report_id = ? ORDER BY f.figure_number
      """, [report]
    ).map { Array($0.databaseValues) }
  }

  private static func rows(of report: AppleReport) -> [[DatabaseValue]] {
    let digests = report.dimensions.map { ContentDigest(sha256: $0.key).data.databaseValue }
    return report.figures.map { figure in
      let counts = figure.counts
      let numbers: [Int64?] = [
        figure.day.milliseconds, figure.purchaseDay?.milliseconds, counts.originalStartDay?.milliseconds,
        counts.consecutivePaidPeriods, counts.daysBeforeCanceling, counts.daysCanceled, figure.units,
        figure.customerAmount?.rawValue, figure.proceedsAmount?.rawValue, figure.rows,
      ]
      return [digests[figure.dimensions]] + numbers.map { $0.databaseValue }
    }
  }
}
