public import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

/// The format of the files in an export.
public enum ExportFormat: String, Sendable, CaseIterable {
  /// CSV (RFC 4180) with a header. NULL is an empty field, and an empty text is `""`.
  case csv
  /// NDJSON: one JSON object on each line.
  case ndjson
  /// Parquet, which needs a ``ParquetWriter``.
  case parquet

  /// Returns whether a spreadsheet runs a text as a formula when its first byte is this one (OWASP, CSV injection).
  public static func beginsFormula(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: true
    default: false
    }
  }
}

/// Writes Parquet files. No library that this one may depend on does, so the program brings what its machine has.
public struct ParquetWriter: Sendable {
  /// A column of a file.
  public struct Column: Sendable {
    /// The name of the column.
    public var name: String
    /// Whether its values are integers of 64 bits; else they are texts.
    public var isInteger: Bool

    /// Creates a column of a name.
    public init(name: String, isInteger: Bool) { (self.name, self.isInteger) = (name, isInteger) }
  }

  /// A file to be written.
  public struct File: Sendable {
    /// The path of the rows as NDJSON, in the order in which they must stay.
    public var source: String
    /// The path of the Parquet file.
    public var target: String

    /// Creates a file that is to be written.
    public init(source: String, target: String) { (self.source, self.target) = (source, target) }
  }

  let write: @Sendable (_ files: [File], _ columns: [Column]) throws -> Void

  /// Creates a writer that runs a function.
  /// - Parameter write: writes files with equal columns, and throws if one cannot be written.
  public init(_ write: @escaping @Sendable (_ files: [File], _ columns: [Column]) throws -> Void) {
    self.write = write
  }
}

/// What an export contains, and how it is written.
public struct ExportOptions: Sendable {
  /// The formats of the files.
  public var formats: [ExportFormat] = [.csv, .ndjson]
  /// What writes Parquet; `nil` where no file is in this format.
  public var parquetWriter: ParquetWriter?
  /// The names of the tables and views to export; `nil` for all.
  public var relations: Set<String>?
  /// How many files each relation is split into, by original transaction: 1 to ``mostPartitions``. `nil`: as many as in
  /// the previous export, else 16.
  public var partitions: Int?
  /// Export the rows from the first seal in which something was recorded at this instant or later. `nil`: the rows
  /// since the previous export. Rows between that export and this one are never left out.
  public var since: Instant?
  /// Whether to export everything again, and to remove the previous exports.
  public var isFull = false
  /// Whether to export the views too. A warehouse that derives them itself needs the tables only.
  public var isWithViews = true
  /// Whether to export the texts of the payloads, word for word.
  public var isWithPayloads = false
  /// Whether a CSV text that begins like a formula stays as it is. Otherwise an apostrophe is written before it.
  public var isRawCSV = false
  /// The instants of the views, and the evidence that counts.
  public var parameters: QueryParameters

  /// Creates options for all tables and views in both formats: everything at first, then what is new.
  public init(parameters: QueryParameters) { self.parameters = parameters }

  /// The greatest number of partitions.
  public static let mostPartitions = 256
}

/// The result of an export.
public struct ExportSummary: Sendable, Equatable {
  /// Why an export contains everything although there is a previous one.
  public enum Reason: String, Sendable {
    /// The caller asked for everything.
    case asked
    /// A person was erased since. The previous exports contain that person's ids, so this export removed them.
    case erasure
    /// The tables or views differ from those of the previous export.
    case schema
  }

  /// The path of the export's own folder.
  public var path: String
  /// The number of the export: the name of its folder.
  public var number: Int
  /// Whether it contains everything.
  public var isFull: Bool
  /// Why it contains everything although there is a previous export; `nil` otherwise.
  public var reason: Reason?
  /// How many relations have rows.
  public var relations: Int
  /// How many rows it has.
  public var rows: Int
  /// The size of its files, in bytes.
  public var bytes: Int
  /// The number of the last seal that it contains; 0 when nothing was recorded.
  public var seal: Int64
}

/// The progress of an export.
public struct ExportProgress: Sendable {
  /// The name of the relation that is being written.
  public var relation: String
  /// The number of the relation, from 1.
  public var number: Int
  /// How many relations there are.
  public var count: Int
  /// How many rows of the relation were written so far.
  public var rows: Int
}

extension LedgerReader {
  /// Writes the tables and views of the data dictionary into a folder, as one consistent state. Others may record
  /// meanwhile.
  ///
  /// Each export is a subfolder, which gets its name when it is complete. The first export contains everything. Later
  /// ones contain what is new since. `schema.json` in each of them describes the contents and how to read them.
  /// - Parameters:
  ///   - folder: a path. The folder is new, empty, or has exports of this ledger.
  ///   - options: what to export, and how.
  ///   - progress: called at the start of each relation, and after each thousand rows. An error that it throws ends the
  ///     export, which leaves nothing.
  /// - Returns: where the export is, and how much it contains.
  /// - Throws: `LedgerError` with `refusedText` for wrong options, `refusedEntry` for exports of another ledger or
  ///   kind, `busy`, `cannotCreate`, `cannotWrite` and others. The previous exports are then unchanged.
  public func export(
    to folder: String, _ options: ExportOptions, progress: (ExportProgress) throws -> Void = { _ in }
  ) throws -> ExportSummary {
    guard (1...ExportOptions.mostPartitions).contains(options.partitions ?? 1), !options.formats.isEmpty else {
      throw LedgerError(
        .refusedText, "An export needs 1 to \(ExportOptions.mostPartitions) partitions and at least one format.")
    }
    guard !options.formats.contains(.parquet) || options.parquetWriter != nil else {
      throw LedgerError(.refusedText, "An export in Parquet needs a writer of Parquet.")
    }
    try options.checkRelations()
    // Reading the anchor reports a ledger that cannot be read, before the folder is created.
    _ = try anchor()
    let exportFolder = try ExportFolder(folder)
    // The export uses connections of its own, because the tables that it stores there must not answer other queries.
    let reader = LedgerReader(ofOpenFile: path)
    defer { reader.close() }
    let exported = options.isWithViews ? ExportRelation.viewNames.filter(options.has) : []
    var views = exported
    // Joining texts from their parts takes time, so it happens only on request.
    if options.isWithPayloads { views += ["payload_rest_text"] + PayloadLayout.Kind.objects.map { "\($0.table)_text" } }
    do {
      return try reader.readAll(views, options.parameters) { database in
        try Exporter.keepShared(by: exported, database)
        var exporter = try Exporter(database, exportFolder, options)
        return try exporter.run(progress)
      }
    } catch {
      exportFolder.discard()
      throw error
    }
  }
}

extension ExportOptions {
  /// The names of the chosen tables and views, in order; `nil` for all.
  var only: [String]? { relations?.sorted() }

  /// Returns whether a table or view is exported.
  func has(_ relation: String) -> Bool { relations?.contains(relation) ?? true }

  /// The names of the tables and views that can be exported, in order.
  public static var relationNames: [String] {
    let names = SchemaRelations.current.relations.filter { !$0.isView && $0.isExported }.map(\.name)
    return (names + ExportRelation.viewNames).sorted()
  }

  /// Refuses names that no exported table or view has.
  fileprivate func checkRelations() throws {
    guard let relations else { return }
    let known = Set(
      isWithViews ? Self.relationNames : Self.relationNames.filter { SchemaRelations.current[$0]?.isView != true })
    if let unknown = relations.subtracting(known).sorted().first {
      throw LedgerError(.refusedText, "\(unknown) is not a table or view of this export.")
    }
    guard !relations.isEmpty else { throw LedgerError(.refusedText, "An export needs at least one table or view.") }
  }
}
