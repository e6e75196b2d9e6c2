import AppStore
import ArgumentParser
import Ledger
import LedgerPresentation

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write tables and views into a folder, as CSV, NDJSON or Parquet, while imports continue.",
    discussion: """
      Each export is one state of the ledger. It is in its own folder below FOLDER, which gets its name when it is \
      complete. The first export contains everything. Each later one contains what was recorded since, and the views' \
      rows of the purchases that changed.

      schema.json in each export lists the relations, their columns and files, and how to combine the exports. The \
      files are readable by their owner only.

      The seals decide what is new, not the clock. So the next export contains an archive that was imported late, with \
      old received instants. After an erasure, the next export contains everything, and the earlier exports are removed.

      subledger schema --dialect prints the tables and views for another engine. Load NDJSON into it, or CSV that was \
      written with --raw-csv. Other CSV has an additional apostrophe before some texts, which protects spreadsheets.
      """)

  @Argument(help: ArgumentHelp("A new folder, an empty one, or one with exports of this ledger.", valueName: "folder"))
  var folder: String

  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: InstantOptions

  @Option(
    help: ArgumentHelp(
      "csv, ndjson or parquet. Commas separate several (default: csv,ndjson). Parquet needs the program duckdb.",
      valueName: "formats"),
    completion: .list(ExportFormat.allCases.map(\.rawValue)), transform: ExportFormat.list)
  var format: [ExportFormat] = [.csv, .ndjson]

  @Option(
    help: ArgumentHelp("Export only these tables and views, separated by commas.", valueName: "relations"),
    transform: { text in text.split(separator: ",").map { String.argument(String($0)) } })
  var only: [[String]] = []

  @Option(
    help: ArgumentHelp(
      "How many files each relation gets, split by original transaction id: 1 to 256 (default: 16, or as before).",
      valueName: "count"))
  var partitions: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Export what was recorded at this instant or later (default: since the last export in the folder).",
      valueName: "instant"),
    transform: Instant.argument)
  var recordedSince: Instant?

  @Flag(help: "Export everything, and remove the earlier exports.")
  var full = false

  @Flag(help: "Export the tables without the views, for an engine that derives the views itself.")
  var tablesOnly = false

  @OptionGroup var csv: CSVOptions

  @Flag(help: "Export the texts of the payloads too.")
  var withPayloads = false

  func validate() throws {
    for name in only.joined() where !ExportOptions.relationNames.contains(name) {
      let near = DataDictionary.nearest(to: name, among: ExportOptions.relationNames, limit: 3)
      throw ValidationError(
        "'\(name)' is not a table or view that can be exported."
          + (near.isEmpty ? " See subledger schema." : " Nearest: \(near.joined(separator: ", "))."))
    }
    if format.contains(.parquet), DuckDB() == nil {
      throw ValidationError(
        "Parquet needs the program duckdb, which is not on your PATH. Install it, or use --format csv,ndjson.")
    }
    if folder == "-" || folder.isEmpty { throw ValidationError("An export is a folder. Name one.") }
    if full, recordedSince != nil { throw ValidationError("Use either --full or --recorded-since, not both.") }
    if let partitions, !(1...ExportOptions.mostPartitions).contains(partitions) {
      throw ValidationError("--partitions is a number from 1 to \(ExportOptions.mostPartitions).")
    }
  }

  func run() throws {
    let ledger = try database.reader()
    var options = ExportOptions(parameters: instants.parameters)
    (options.formats, options.partitions, options.since) = (format, partitions, recordedSince)
    options.parquetWriter = format.contains(.parquet) ? DuckDB()?.parquetWriter : nil
    if !only.isEmpty { options.relations = Set(only.joined()) }
    (options.isFull, options.isWithPayloads, options.isWithViews) = (full, withPayloads, !tablesOnly)
    options.isRawCSV = csv.isRaw
    Interruption.watch(isPatient: true, "No export was written. Run the same command again.")
    let line = ProgressLine(log: Terminal.note)
    let summary = try reporting {
      do {
        defer { line.clear() }
        return try ledger.export(to: folder, options) { progress in
          line.show(progress)
          if Interruption.isRequested { throw CancellationError() }
        }
      } catch is CancellationError {
        Interruption.end()
      }
    }
    Terminal.print("\(Printable.text(summary.path)) holds \(summary.text).")
    if let note = summary.note { Terminal.note(note) }
  }
}

extension ExportFormat {
  /// Returns the formats that an argument names, separated by commas.
  static func list(_ argument: String) throws -> [ExportFormat] {
    var formats: [ExportFormat] = []
    for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let format = ExportFormat(rawValue: .argument(String(name))), !formats.contains(format) else {
        throw ValidationError(
          "'\(argument)' does not name formats. Choose from \(allCases.map(\.rawValue).joined(separator: ", ")), each once."
        )
      }
      formats.append(format)
    }
    return formats
  }
}

extension ProgressLine {
  /// Shows the progress of an export. It has no share, because the time that a view takes is not known before.
  fileprivate func show(_ progress: ExportProgress) {
    show(
      "Exporting \(progress.relation), \(progress.number) of \(progress.count)", share: nil,
      count: progress.rows > 0 ? progress.rows : nil, "row")
  }
}

extension ExportSummary {
  fileprivate var text: String {
    let count = "\(Messages.count(rows, "row")) of \(Messages.count(relations, "relation"))"
    return isFull ? "everything: \(count)" : "what is new: \(count)"
  }

  fileprivate var note: String? {
    switch reason {
    case .erasure:
      "This export contains everything, because a customer was erased since the last one. Earlier exports were removed."
    case .schema: "This export contains everything, because the tables or views changed since the last one."
    case .asked, nil: nil
    }
  }
}
