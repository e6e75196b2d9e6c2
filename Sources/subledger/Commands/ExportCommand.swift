import AppStore
import ArgumentParser
import Ledger

/// `subledger export`
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write every table and view into a folder, as CSV and NDJSON, while imports go on.",
    discussion: """
      Each export is one state of the ledger, in a folder of its own below FOLDER that gets its name when it is whole: the \
      first holds everything, each that follows what was recorded since, and the views' rows of the lines that changed. \
      schema.json in it tells the relations, their columns and files, and how to put the exports together. The files are \
      readable by their owner only.

      What comes next is told by the seals, not by clocks: an archive that is imported late, with old received instants, is \
      in the next export. Where a person was forgotten, the next export holds everything, and those before it are removed.

      subledger schema --dialect prints the tables and views for another engine. Load NDJSON into it, or CSV that was \
      written with --raw-csv: otherwise some texts have an apostrophe more, for the sake of spreadsheets.
      """)

  /// `--format`.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case csv, ndjson, both

    var formats: [ExportFormat] {
      switch self {
      case .csv: [.csv]
      case .ndjson: [.ndjson]
      case .both: ExportFormat.allCases
      }
    }
  }

  @Argument(help: ArgumentHelp("A new folder, an empty one, or one with exports of this ledger.", valueName: "folder"))
  var folder: String

  @OptionGroup var database: DatabaseOption
  @OptionGroup var instants: QuestionOptions

  @Option(help: "csv, ndjson or both.")
  var format = Format.both

  @Option(
    help: ArgumentHelp(
      "Into how many files a relation is parted by original transaction id, 1 to 256 (default: 16, or as before).",
      valueName: "count"))
  var partitions: Int?

  @Option(
    help: ArgumentHelp(
      "All that was recorded since anything was first recorded at this instant or later (default: since the last export "
        + "in the folder).", valueName: "instant"),
    transform: Instant.argument)
  var recordedSince: Instant?

  @Flag(help: "Everything anew; the exports before are removed.")
  var full = false

  @Flag(help: "The tables without the views: an engine that runs the views derives them by itself.")
  var tablesOnly = false

  @OptionGroup var csv: CSVOptions

  @Flag(help: "What arrived, too, word for word.")
  var withPayloads = false

  func validate() throws {
    if folder == "-" || folder.isEmpty { throw ValidationError("An export is a folder: name one.") }
    if full, recordedSince != nil { throw ValidationError("--full exports everything, --recorded-since a part: say one of them.") }
    if let partitions, !(1...ExportOptions.mostPartitions).contains(partitions) {
      throw ValidationError("There can be 1 to \(ExportOptions.mostPartitions) partitions.")
    }
  }

  func run() throws {
    let ledger = try database.reader()
    var options = ExportOptions(question: instants.question)
    (options.formats, options.partitions, options.since) = (format.formats, partitions, recordedSince)
    (options.isFull, options.isWithPayloads, options.isWithViews) = (full, withPayloads, !tablesOnly)
    options.isRawCSV = csv.isRaw
    Interruption.watch("No export was written. Run the same command again.")
    let summary = try reporting {
      try ProgressLine.during { try ledger.export(to: folder, options, progress: $0.show) }
    }
    Terminal.print("\(Terminal.printable(summary.path)) holds \(summary.words).")
    if let note = summary.note { Terminal.note(note) }
  }
}

extension ProgressLine {
  /// Shows how far an export is. How long a view takes is not known before.
  fileprivate func show(_ progress: ExportProgress) {
    show(
      "Exporting \(progress.relation), \(progress.number) of \(progress.count)", share: nil,
      count: progress.rows > 0 ? progress.rows : nil, "row")
  }
}

extension ExportSummary {
  /// In words.
  fileprivate var words: String {
    let count = "\(Messages.count(rows, "row")) of \(Messages.count(relations, "relation"))"
    return isFull ? "everything: \(count)" : "what is new: \(count)"
  }

  fileprivate var note: String? {
    switch reason {
    case .erasure:
      "A person was forgotten since the last export: it held everything anew, and those before are removed."
    case .schema: "The tables or views have changed since the last export: it held everything anew."
    case .asked, nil: nil
    }
  }
}
