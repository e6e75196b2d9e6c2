public import AppStore
internal import GRDB
internal import LedgerSchema

/// Imports reports of App Store Connect into a ledger. They are Apple's own figures, and no evidence.
///
/// It decodes files on several cores and records them in batches. Each file is recorded completely or not at all. The
/// use of memory does not grow with the number of files.
public struct AppleReportImporter {
  /// A file that was downloaded.
  public struct File: Sendable {
    /// The path of the file. Its name states the vendor number and the day, where Apple named it.
    public var name: String
    /// The bytes of the file: gzip data, or the text.
    public var bytes: [UInt8]

    /// Creates a file from its parts.
    public init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
  }

  /// The counts of an import.
  public struct Summary: Sendable, Equatable {
    /// The files that were read.
    public var files = 0
    /// The reports that were recorded.
    public var recorded = 0
    /// Of the recorded reports, those with another text than an earlier file about the same days.
    public var restated = 0
    /// The files with a text that the ledger has already.
    public var duplicates = 0
    /// The files that are not usable. Nothing of them is recorded.
    public var refused = 0
    /// The rows in the recorded reports.
    public var rows = 0
    /// The columns that this version does not know, with the number of files that have them.
    public var unknownColumns: [String: Int] = [:]
  }

  /// The ledger that records the reports.
  public var ledger: LedgerRecorder
  /// The instant of recording.
  public var now: Instant
  /// The day of all reports, as the first millisecond of the date in UTC; `nil` to take it from the name or columns.
  public var day: Instant?
  /// The vendor number of all reports that are not about one app; `nil` to take it from the names of the files.
  public var vendorNumber: String?
  /// The number of files to decode at the same time.
  public var concurrency = 2
  /// Called with each file that is not usable.
  public var onRefusal: (AppleReportError, _ name: String) -> Void = { _, _ in }
  /// Called after each batch with the counts so far.
  public var onProgress: (Summary) -> Void = { _ in }

  private var summary = Summary()
  /// The ids of stored dimensions, by their bytes.
  private var knownDimensions: [[UInt8]: Int64] = [:]

  private static let batchCount = 64
  private static let batchBytes = 16 << 20
  private static let mostKnownDimensions = 200_000
  private static let partSize = 1 << 20

  /// Creates an importer for a ledger. The other properties have defaults.
  public init(ledger: LedgerRecorder, now: Instant) { (self.ledger, self.now) = (ledger, now) }

  /// Imports files one after the other.
  /// - Returns: the counts.
  /// - Throws: ``LedgerError``, and the errors of the sequence. Files of earlier batches stay recorded.
  public mutating func run(_ files: some Sequence<() throws -> File>) async throws -> Summary {
    var (batch, bytes): ([File], Int) = ([], 0)
    for read in files {
      let file = try read()
      batch.append(file)
      bytes += file.bytes.count
      guard batch.count >= Self.batchCount || bytes >= Self.batchBytes else { continue }
      try await record(batch)
      (batch, bytes) = ([], 0)
    }
    try await record(batch)
    return summary
  }

  private mutating func record(_ files: [File]) async throws {
    guard !files.isEmpty else { return }
    var results = await decode(files)
    let (ledger, now) = (ledger, now)
    var (summary, dimensions) = (summary, knownDimensions)
    knownDimensions = [:]
    try ledger.record { transaction in
      var recorder = Recorder(transaction)
      for (index, file) in files.enumerated() {
        guard case .success(let report) = results[index] else { continue }
        let origin = try recorder.originID(file.name)
        do {
          try Self.record(report, file.bytes, origin: origin, now, transaction, &summary, &dimensions)
        } catch let error as AppleReportError {
          results[index] = .failure(error)
        }
      }
    }
    for (file, result) in zip(files, results) {
      summary.files += 1
      guard case .failure(let error) = result else { continue }
      summary.refused += 1
      onRefusal(error, file.name)
    }
    self.summary = summary
    knownDimensions = dimensions.count > Self.mostKnownDimensions ? [:] : dimensions
    onProgress(summary)
  }

  /// Decodes files on as many threads as ``concurrency`` says.
  /// - Returns: the results, in the order of the files.
  private func decode(_ files: [File]) async -> [Result<AppleReport, AppleReportError>] {
    let (day, vendorNumber) = (day, vendorNumber)
    return await files.concurrentMap(width: concurrency) { file in
      Result { () throws(AppleReportError) in
        try AppleReportReader().read(file.bytes, name: file.name, day: day, vendorNumber: vendorNumber)
      }
    }
  }

  private static func record(
    _ report: AppleReport, _ content: [UInt8], origin: Int64, _ now: Instant, _ transaction: EvidenceTransaction,
    _ summary: inout Summary, _ dimensions: inout [[UInt8]: Int64]
  ) throws {
    let ofTheseDays = try transaction.rows(
      """
      SELECT digest, recorded_at, vendor_number FROM apple_report
      WHERE type = ? AND first_day_at = ? AND last_day_at = ?
      ORDER BY recorded_at DESC, report_id DESC
      """, [report.type.rawValue, report.firstDay.milliseconds, report.lastDay.milliseconds])
    let earlier = ofTheseDays.filter { ($0["vendor_number"] as String?) == report.vendorNumber }
    // An older text that Apple sends again is news: it counts from now on.
    let newest = earlier.first?["recorded_at"] as Int64?
    if earlier.contains(where: { $0["digest"] == report.digest.data && $0["recorded_at"] == newest }) {
      summary.duplicates += 1
      return
    }
    if report.vendorNumber == nil, !report.type.isAnalytics {
      let ofVendors = ofTheseDays.filter { ($0["vendor_number"] as String?) != nil }
      if ofVendors.contains(where: { $0["digest"] == report.digest.data }) {
        summary.duplicates += 1
        return
      }
      guard ofVendors.isEmpty else {
        throw AppleReportError(
          .unknownVendor, "the ledger has a report of these days with a vendor number, and this one has none")
      }
    }
    let id = try transaction.insert(
      "apple_report",
      [
        "type": report.type.rawValue, "version": report.version, "vendor_number": report.vendorNumber,
        "first_day_at": report.firstDay.milliseconds, "last_day_at": report.lastDay.milliseconds,
        "digest": report.digest.data, "row_count": report.rowCount,
        // A report is never recorded before the one that it replaces, even if the clock went back.
        "recorded_at": max(now.milliseconds, newest ?? 0), "origin_id": origin,
      ])
    for (ordinal, start) in stride(from: 0, to: content.count, by: partSize).enumerated() {
      let part = Array(content[start..<min(start + partSize, content.count)])
      try transaction.insert("apple_report_content", ["report_id": id, "ordinal": ordinal, "bytes": part.data])
    }
    try AppleFigures(transaction.projections).store(report, id: id, &dimensions)
    summary.recorded += 1
    summary.restated += earlier.isEmpty ? 0 : 1
    summary.rows += report.rowCount
    for column in report.unknownColumns { summary.unknownColumns[column, default: 0] += 1 }
  }
}
