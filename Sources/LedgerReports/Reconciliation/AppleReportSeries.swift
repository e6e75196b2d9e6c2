public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// The imported reports of one type and one vendor number.
public struct AppleReportSeries: Sendable, Equatable {
  /// The type of the reports.
  public var type: AppleReportType
  /// The vendor number; `nil` where the names of the files have none.
  public var vendorNumber: String?
  /// The first day that a report is about, as the first millisecond of the date in UTC.
  public var firstDay: Instant
  /// The last day that a report is about, written as ``firstDay``.
  public var lastDay: Instant
  /// The number of reports that count.
  public var reports: Int64
  /// The number of days between the first and the last one that no report is about.
  public var missingDays: Int64
  /// The number of reports of which several texts were imported.
  public var restated: Int64
  /// The number of rows in the reports that count.
  public var rows: Int64
}

extension LedgerReader {
  /// Returns the imported reports by type and vendor number, as they were known.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func appleReportSeries(_ parameters: QueryParameters) throws -> [AppleReportSeries] {
    try lookUp("stg_apple_report") { database in
      try parameters.write(to: database)
      let rows = try database.rows(
        """
        SELECT
          s.type, s.vendor_number, MIN(s.first_day_at) AS first_day_at, MAX(s.last_day_at) AS last_day_at,
          COUNT(*) AS reports, SUM(CASE WHEN s.text_count > 1 THEN 1 ELSE 0 END) AS restated,
          SUM(r.row_count) AS row_count,
          SUM(s.gap_days) AS missing_days
        FROM (
          SELECT
            s.*,
            -- Reports of weeks and months overlap those of days.
            CASE
              WHEN s.first_day_at > MAX(s.last_day_at) OVER of_before + 86400000
              THEN (s.first_day_at - MAX(s.last_day_at) OVER of_before) / 86400000 - 1
              ELSE 0
            END AS gap_days
          FROM temp.stg_apple_report s
          WINDOW of_before AS (
            PARTITION BY s.type, s.vendor_number ORDER BY s.first_day_at, s.last_day_at, s.report_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          )
        ) s
        JOIN main.apple_report r ON r.report_id = s.report_id
        GROUP BY s.type, s.vendor_number ORDER BY s.type, s.vendor_number
        """)
      return rows.compactMap { row -> AppleReportSeries? in
        guard let type = AppleReportType(rawValue: row["type"]) else { return nil }
        return AppleReportSeries(
          type: type, vendorNumber: row["vendor_number"],
          firstDay: Instant(milliseconds: row["first_day_at"]), lastDay: Instant(milliseconds: row["last_day_at"]),
          reports: row["reports"], missingDays: row["missing_days"], restated: row["restated"],
          rows: row["row_count"])
      }
    }
  }

  /// Returns the days of the fiscal month that begins on a day, if a financial report of it is imported.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func fiscalMonth(beginningOn day: Instant, _ parameters: QueryParameters) throws -> ClosedRange<Instant>? {
    try lookUp("stg_apple_report") { database in
      try parameters.write(to: database)
      let last = try Int64.fetchOne(
        database,
        sql: """
          SELECT MAX(last_day_at) FROM temp.stg_apple_report
          WHERE type IN ('financial', 'finance_detail') AND first_day_at = ?
          """, arguments: [day.milliseconds])
      return last.map { day...Instant(milliseconds: $0) }
    }
  }
}
