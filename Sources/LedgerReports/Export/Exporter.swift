internal import AppStore
internal import GRDB
internal import LedgerSchema
internal import LedgerStore

/// Writes one export into its folder.
struct Exporter {
  private let database: Database
  private let folder: ExportFolder
  private let options: ExportOptions
  private let seal: Anchor?
  private let erasures: Int64
  /// The export that this one continues; `nil` for one that contains everything.
  private let previous: ExportManifest?
  private let reason: ExportSummary.Reason?
  private let partitions: SubscriptionPartitions
  private var newRows: NewRows?
  private let dictionary: DataDictionary
  private var changes: [(relation: String, isChanged: [Bool])] = []

  /// Decides whether the export continues the last one.
  /// - Parameters:
  ///   - database: a connection that has the views as temporary ones, in a transaction that sees one state of the file.
  ///   - folder: the folder of the exports.
  ///   - options: what to export, and how.
  init(_ database: Database, _ folder: ExportFolder, _ options: ExportOptions) throws {
    (self.database, self.folder, self.options) = (database, folder, options)
    seal = try Anchor.read(database, "ORDER BY seal_id DESC LIMIT 1")
    erasures = try database.id("SELECT COUNT(*) FROM main.erasure", []) ?? 0
    let last = options.isFull ? nil : try folder.last()
    if let last { try Self.check(last, database, folder, options) }
    reason =
      options.isFull && !folder.numbers.isEmpty
      ? .asked
      : last.flatMap { [erasures] in
        $0.erasures != erasures ? .erasure : Self.isOfThisSchema($0) ? nil : .schema
      }
    previous = reason == nil ? last : nil
    let count = options.partitions ?? previous?.partitions ?? 16
    partitions = try SubscriptionPartitions(database, count: count)
    dictionary = try DataDictionary.current()
    if reason == nil, let since = options.since {
      // No row between the previous export and this one may be left out.
      let start = try NewRows.lastSeal(database, before: since.milliseconds)
      newRows = try NewRows(database, after: min(start, previous?.seal ?? start))
    } else if let previous {
      newRows = try NewRows(database, after: previous.seal)
    }
  }

  /// Refuses to continue an export of another ledger, or one with other options.
  private static func check(
    _ last: ExportManifest, _ database: Database, _ folder: ExportFolder, _ options: ExportOptions
  ) throws {
    if let digest = last.sealDigest {
      let found = try Anchor.read(database, "WHERE seal_id = ?", [last.seal])
      guard found?.digest.hexadecimal == digest else {
        throw LedgerError(
          .refusedEntry, "The exports in \(folder.path) are of another ledger, or of a later state of this one.",
          .nameAnotherFolderOrExportFully)
      }
    }
    guard options.partitions == nil || options.partitions == last.partitions,
      Set(options.formats.map(\.rawValue)) == Set(last.formats), options.isWithPayloads == last.isWithPayloads,
      options.isWithViews == last.isWithViews, options.only == last.only,
      options.parameters.minimumTrust.rawValue == last.minimumTrust ?? 0,
      last.areFormulasEscaped == nil || last.areFormulasEscaped == !options.isRawCSV
    else {
      throw LedgerError(
        .refusedEntry,
        "The exports in \(folder.path) have \(last.partitions) partitions in \(last.formats.joined(separator: " and "))"
          + "\(last.isWithPayloads ? ", with payloads" : "")\(last.isWithViews ? "" : ", tables only")"
          + "\(last.minimumTrust ?? 0 == 0 ? "" : ", signed evidence only")"
          + "\(last.areFormulasEscaped == false ? ", raw CSV" : "")"
          + "\(last.only.map { ", only \($0.joined(separator: ", "))" } ?? "").",
        .nameAnotherFolderOrExportFully)
    }
  }

  private static func isOfThisSchema(_ last: ExportManifest) -> Bool {
    last.schemaStep == Schema.migrations.last?.name && last.viewDigest == Schema.viewDigest
      && last.formatVersion == ExportManifest.currentVersion
  }

  /// Writes all files, and gives the export its name.
  mutating func run(_ progress: (ExportProgress) throws -> Void) throws -> ExportSummary {
    let exportPath = try folder.begin()
    try ExportFolder.make("\(exportPath)/\(Self.digestFolder)", mayExist: false)
    var relations: [ExportManifest.Relation] = []
    let all = try ExportRelation.all(database, options)
    for (number, relation) in all.enumerated() {
      var step = ExportProgress(relation: relation.name, number: number + 1, count: all.count, rows: 0)
      try progress(step)
      relations.append(
        try write(relation, in: exportPath) {
          step.rows = $0
          try progress(step)
        })
    }
    if previous != nil { relations.append(try writeChangedLines(in: exportPath)) }
    let manifest = try manifest(relations)
    let path = try folder.finish(manifest)
    if manifest.kind == "full" { try folder.removeAll(before: manifest.number) }
    if let previous { try? Self.removeDigests(folder.path(of: previous.number)) }
    return ExportSummary(
      path: path, number: manifest.number, isFull: manifest.kind == "full", reason: reason,
      relations: relations.filter { $0.rows > 0 }.count, rows: relations.map(\.rows).reduce(0, +),
      bytes: relations.flatMap(\.files).map(\.bytes).reduce(0, +), seal: manifest.seal)
  }

  private func manifest(_ relations: [ExportManifest.Relation]) throws -> ExportManifest {
    let isFull = newRows == nil
    var (from, to) = (newRows?.recordedFrom, newRows?.recordedTo)
    if newRows == nil,
      let row = try Row.fetchOne(database, sql: "SELECT MIN(received_at), MAX(received_at) FROM main.delivery")
    {
      (from, to) = (row[0], row[1])
    }
    return ExportManifest(
      number: folder.next, kind: isFull ? "full" : "increment", reason: reason?.rawValue, follows: previous?.number,
      since: isFull ? nil : options.since?.milliseconds, asOf: options.parameters.asOf.milliseconds,
      knownAt: options.parameters.knownAt.milliseconds, minimumTrust: options.parameters.minimumTrust.rawValue,
      recordedFrom: from, recordedTo: to, seal: seal?.seal ?? 0,
      sealDigest: seal?.digest.hexadecimal, erasures: erasures, schemaStep: Schema.migrations.last?.name ?? "",
      viewDigest: Schema.viewDigest, isWithPayloads: options.isWithPayloads,
      isWithViews: options.isWithViews, only: options.only,
      areFormulasEscaped: !options.isRawCSV, partitions: partitions.count,
      formats: options.formats.map(\.rawValue), relations: relations)
  }

  /// Stores the results of views that several of the given views read. Storing them is cheaper than deriving them again.
  static func keepShared(by views: [String], _ database: Database) throws {
    let needed = Schema.closure(of: views)
    for name in ["customer_original_transaction", "customer_access"] where needed.contains(name) {
      try database.execute(
        sql: """
          CREATE TEMP TABLE kept_\(name) AS SELECT * FROM temp.\(name);
          DROP VIEW temp.\(name);
          CREATE TEMP VIEW \(name) AS SELECT * FROM temp.kept_\(name);
          """)
    }
  }

  // MARK: - Relations

  private mutating func write(
    _ relation: ExportRelation, in exportPath: String, progress: (_ rows: Int) throws -> Void
  ) throws -> ExportManifest.Relation {
    let before = previous.flatMap { previous in
      relation.isByOriginalTransaction
        ? SubscriptionDigests(path: Self.digests(folder.path(of: previous.number), relation.name)) : nil
    }
    let writer = try RelationWriter(relation, in: exportPath, options, partitions, isMarking: before != nil)
    var content = ExportManifest.Content.all
    if let newRows, relation.sealed != nil {
      content = .new
      try newRows.each(relation, database) { try writer.write($0, partitions, progress: progress) }
    } else if !relation.isWithoutReports {
      let statement = try relation.statement ?? database.makeStatement(sql: relation.select)
      try writer.write(statement, partitions, progress: progress)
    }
    if let digests = writer.digests {
      if let before {
        content = .changed
        let isChanged = digests.changed(since: before)
        try writer.keep(isChanged)
        changes.append((relation.name, isChanged))
      }
      try digests.write(to: Self.digests(exportPath, relation.name))
    }
    return described(relation, content, try writer.finish(), writer)
  }

  private func described(
    _ relation: ExportRelation, _ content: ExportManifest.Content, _ files: [ExportManifest.File],
    _ writer: RelationWriter
  ) -> ExportManifest.Relation {
    let words = dictionary.relation(relation.name)
    let meanings = Dictionary(uniqueKeysWithValues: words?.columns.map { ($0.name, $0.comment) } ?? [])
    let columns = relation.columns.map { column in
      ExportManifest.Column(
        name: column.name, type: column.isInteger ? "integer" : "text", meaning: meanings[column.name])
    }
    return ExportManifest.Relation(
      name: relation.name, kind: relation.isView ? "view" : "table", meaning: words?.comment ?? Self.changedMeaning,
      content: content, key: relation.key, isPartitioned: relation.owner != .nobody, columns: columns,
      rows: files.filter { $0.format == options.formats[0].rawValue }.map(\.rows).reduce(0, +), files: files)
  }

  private static let changedMeaning =
    "The original transactions whose rows in a relation with content 'changed' differ from the previous export, or "
    + "are gone."

  /// Writes the list of rows that a reader must remove before adding the rows of this export.
  private mutating func writeChangedLines(in exportPath: String) throws -> ExportManifest.Relation {
    try database.execute(
      sql: """
        CREATE TEMP TABLE IF NOT EXISTS changed_original_transaction (relation TEXT NOT NULL, original_transaction_key INTEGER NOT NULL);
        DELETE FROM temp.changed_original_transaction;
        """)
    let insert = try BoundStatement(database, "INSERT INTO temp.changed_original_transaction VALUES (?, ?)")
    for (relation, isChanged) in changes {
      for key in isChanged.indices where isChanged[key] {
        try insert.bind(relation as String?).bind(Int64(key)).run()
      }
    }
    let relation = ExportRelation(
      name: "changed_original_transaction", isView: false,
      select: """
        SELECT c.relation, l.environment, l.original_transaction_id, c.original_transaction_key
        FROM temp.changed_original_transaction c LEFT JOIN main.original_transaction l ON l.original_transaction_key = c.original_transaction_key
        """,
      columns: ["relation", "environment", "original_transaction_id", "original_transaction_key"].map {
        PortableSchema.Column(name: $0, isInteger: $0 == "original_transaction_key", isBlob: false)
      }, key: ["relation", "original_transaction_key"], owner: .originalTransaction, sealed: nil,
      isByOriginalTransaction: false)
    let writer = try RelationWriter(relation, in: exportPath, options, partitions, isMarking: false)
    try writer.write(try database.makeStatement(sql: relation.select), partitions)
    return described(relation, .all, try writer.finish(), writer)
  }
}

/// The digests that an export leaves for the next one.
extension Exporter {
  private static let digestFolder = "for_next_export"

  private static func digests(_ exportPath: String, _ relation: String) -> String {
    "\(exportPath)/\(digestFolder)/\(relation)"
  }

  private static func removeDigests(_ exportPath: String) throws {
    try ExportFolder.remove("\(exportPath)/\(digestFolder)")
  }
}
