public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// How rows are written.
public enum ExportFormat: String, Sendable, CaseIterable {
  /// RFC 4180, with a header; NULL is nothing at all, an empty text is `""`.
  case csv
  /// One JSON object a line.
  case ndjson

  /// Returns whether a spreadsheet takes a text for a formula, and runs it, when its first byte is this one (OWASP, CSV
  /// injection).
  public static func beginsFormula(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: true
    default: false
    }
  }
}

/// What is exported, and how.
public struct ExportOptions: Sendable {
  /// The formats of the files.
  public var formats: [ExportFormat] = ExportFormat.allCases
  /// Into how many files a relation is parted, by its lines; `nil`: as many as the export before, else 16.
  public var partitions: Int?
  /// Everything that was sealed since anything was first recorded at this instant or later; `nil`: since the export before.
  public var since: Instant?
  /// Everything anew; the exports before go.
  public var isFull = false
  /// Whether the views go with it: not where they are to be derived elsewhere.
  public var isWithViews = true
  /// Whether what arrived goes with it, word for word.
  public var isWithPayloads = false
  /// Whether a text in CSV stays as it is where it begins like a formula; otherwise an apostrophe stands before it.
  public var isRawCSV = false
  /// The instants that the views answer for.
  public var question: Question

  /// Everything or what is new, in both formats.
  public init(question: Question) { self.question = question }

  /// The most partitions that there can be.
  public static let mostPartitions = 256
}

/// What was exported.
public struct ExportSummary: Sendable, Equatable {
  /// Why an export holds everything although one before it is there.
  public enum Reason: String, Sendable {
    /// It was asked for.
    case asked
    /// People were forgotten since: what was exported before names them, and is gone.
    case erasure
    /// The tables or views are others than those of the export before.
    case schema
  }

  /// Where it is: a folder of its own.
  public var path: String
  /// Its number.
  public var number: Int
  /// Whether it holds everything.
  public var isFull: Bool
  /// Why, where the one before could have been continued.
  public var reason: Reason?
  /// How many relations have rows.
  public var relations: Int
  /// How many rows there are.
  public var rows: Int
  /// How many bytes the files have.
  public var bytes: Int
  /// The last seal that it holds; 0 where nothing was recorded.
  public var seal: Int64
}

/// How far an export is.
public struct ExportProgress: Sendable {
  /// The relation that is being written.
  public var relation: String
  /// Its number, from 1.
  public var number: Int
  /// How many relations there are.
  public var count: Int
  /// How many rows of it were written so far.
  public var rows: Int
}

extension LedgerReader {
  /// Writes every table and view that is of use outside into a folder, as one consistent state, while others may record.
  ///
  /// Each export is a folder of its own below it, that gets its name when it is whole: the first holds everything, those that
  /// follow hold what is new since. `schema.json` in each says what there is, and how to read it.
  /// - Parameters:
  ///   - folder: a path; new, empty, or with exports of this ledger.
  ///   - options: what and how.
  ///   - progress: called at the start of each relation, and after each thousand rows.
  /// - Throws: ``LedgerError``. What was exported before is then as it was.
  public func export(
    to folder: String, _ options: ExportOptions, progress: (ExportProgress) -> Void = { _ in }
  ) throws -> ExportSummary {
    guard (1...ExportOptions.mostPartitions).contains(options.partitions ?? 1), !options.formats.isEmpty else {
      throw LedgerError(
        .refusedText, "There can be 1 to \(ExportOptions.mostPartitions) partitions, in one format at least.")
    }
    // Whatever is wrong with the ledger is to be said before a folder is made.
    _ = try anchor()
    let place = try ExportFolder(folder)
    // A connection of its own: what is kept on it for this export must not answer other questions.
    let connection = ReadConnection(path: path, scope: .all)
    defer { connection.close() }
    var views = options.isWithViews ? ExportRelation.viewNames : []
    // Texts are put together only where they are asked for.
    if options.isWithPayloads { views += ["payload_rest_text"] + PayloadLayout.Kind.objects.map { "\($0.table)_text" } }
    do {
      return try connection.read(views) { database in
        try askAboutAll(database, options.question)
        if options.isWithViews { try Exporter.keepShared(database) }
        var exporter = try Exporter(database, place, options)
        return try exporter.run(progress)
      }
    } catch {
      place.discard()
      throw error
    }
  }
}
