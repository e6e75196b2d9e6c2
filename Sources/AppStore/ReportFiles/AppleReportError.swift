/// Why a file of App Store Connect is not recorded. This is an expected result. Nothing of the file is recorded then.
public struct AppleReportError: Error, Sendable, Equatable {
  /// The reasons. Their names are stable.
  public enum Code: String, Sendable, CaseIterable {
    /// The file has no bytes. Apple sends no file for a day without sales.
    case empty
    /// The file is compressed, and cannot be decompressed.
    case damagedGzip = "damaged_gzip"
    /// The file is a ZIP archive with files in it.
    case archive
    /// The decompressed text is longer than ``AppleReportReader/sizeLimit``.
    case tooLong = "too_long"
    /// The text contains bytes that are not UTF-8.
    case notUTF8 = "not_utf8"
    /// The file is an error of App Store Connect's API, and not a report.
    case apiError = "api_error"
    /// The first line is not the header of a report that the ledger supports.
    case unrecognised
    /// The header has one column twice.
    case duplicateColumn = "duplicate_column"
    /// A row has another number of columns than the header.
    case columnCount = "column_count"
    /// A value is not what its column needs.
    case unreadableValue = "unreadable_value"
    /// Neither the name of the file nor its columns nor the caller state the day of the report.
    case unknownDay = "unknown_day"
    /// The name of the file, its columns and the caller do not agree about the day.
    case contradictoryDay = "contradictory_day"
    /// The report states no vendor number, and the ledger has a report of the same days with one.
    case unknownVendor = "unknown_vendor"
    /// The name of the file and the caller state different vendor numbers.
    case contradictoryVendor = "contradictory_vendor"
    /// The totals at the end of the file, or the amounts of a row, are not those of the rows.
    case contradictoryTotals = "contradictory_totals"
    /// A financial report has no totals at its end.
    case missingTotals = "missing_totals"
    /// A financial report has one region only. Files of several regions would look like new texts of one.
    case oneRegion = "one_region"
    /// An analytics report has rows of several apps.
    case severalApps = "several_apps"
    /// An analytics report is the detailed one, with noise in its figures.
    case detailedReport = "detailed_report"
  }

  /// The kind of reason.
  public var code: Code
  /// The line in the text, from 1; `nil` if the reason concerns the whole file.
  public var line: Int?
  /// The column, as the header spells it; `nil` if the reason concerns none.
  public var column: String?
  /// A description in plain words, without a full stop.
  public var detail: String

  package init(_ code: Code, line: Int? = nil, column: String? = nil, _ detail: String) {
    (self.code, self.line, self.column, self.detail) = (code, line, column, detail)
  }

  /// What to do next, in one or two sentences.
  public var advice: String {
    switch code {
    case .empty: "Apple sends no file for a day without sales. Delete this one, or download it again."
    case .damagedGzip: "The file is cut or damaged. Download it again."
    case .archive: "Unpack it, and import the files in it."
    case .tooLong: "Check that this is a report. If it is one, split it by app."
    case .notUTF8: "Import the file as Apple sent it. A program may have saved it in another encoding."
    case .apiError: "This is an answer about a report, and not a report. Read its text, and ask again."
    case .unrecognised:
      "Import the file as Apple sent it, with its header in English. If Apple sent it so, a newer version may know it."
    case .duplicateColumn, .columnCount: "Import the file as Apple sent it. A program may have cut or joined lines."
    case .unreadableValue:
      "Import the file as Apple sent it. A spreadsheet changes dates, numbers and decimal points when it saves a file."
    case .unknownDay: "Give the file the name that Apple gives it, or state the day."
    case .contradictoryDay: "Check the name of the file and the stated day."
    case .unknownVendor: "Give the file the name that Apple gives it, or state the vendor number."
    case .contradictoryVendor: "Check the name of the file and the stated vendor number."
    case .contradictoryTotals, .missingTotals:
      "The file is cut, or a program changed it. Import it as Apple sent it, or download it again."
    case .severalApps: "Import the files as Apple sent them, one for each app."
    case .detailedReport: "Download the standard report. The figures of the detailed one have noise."
    case .oneRegion: "Download the report of all regions (region code ZZ, or Z1 for the detailed one)."
    }
  }
}
