package import AppStore
internal import Foundation
internal import GRDB
internal import LedgerSchema

/// A report as the file stores it: its bytes, and what they were when it was imported.
package struct StoredAppleReport {
  /// The SHA-256 of the text, decompressed.
  package let digest: ContentDigest
  private let firstDay: Instant
  private let bytes: [UInt8]

  /// Reads a report; `nil` if the file has none of this number.
  package init?(_ id: Int64, _ rows: some RowSource) throws {
    guard
      let row = try rows.row("SELECT first_day_at, digest FROM main.apple_report WHERE report_id = ?", [id])
    else { return nil }
    digest = ContentDigest(bytes: [UInt8](row["digest"] as Data))
    firstDay = Instant(milliseconds: row["first_day_at"])
    bytes = try rows.rows("SELECT bytes FROM main.apple_report_content WHERE report_id = ? ORDER BY ordinal", [id])
      .flatMap { [UInt8]($0["bytes"] as Data) }
  }

  /// Reads the bytes again.
  /// - Throws: `AppleReportError` if they are not those of a report.
  package func decoded() throws(AppleReportError) -> AppleReport {
    try AppleReportReader().read(bytes, name: "", day: firstDay)
  }
}
