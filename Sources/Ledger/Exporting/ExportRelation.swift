internal import GRDB

/// A table or view as it is exported.
struct ExportRelation {
  /// How a row is told to belong to a line.
  enum Owner { case line, statement, nobody }

  let name: String
  let isView: Bool
  let select: String
  let columns: [PortableSchema.Column]
  let key: [String]
  let owner: Owner
  /// The sealed table whose rows these are: then the seals tell what is new.
  let sealed: SealedTable?
  /// Whether the rows of a line can be replaced without looking at other lines.
  let isByLine: Bool

  /// The steps of the derivation: of use inside of it, and derived again wherever the views run.
  static let steps: Set = [
    "asked", "payload_instant", "asked_generally", "asked_unsettled", "asked_in_full", "version_contradicted",
    "line_kept", "catalogue_app", "transaction_interval", "transaction_derived", "renewal_derived", "transaction_kept",
    "transaction_at", "head_instant", "line_head", "line_evidence",
    "line_fact_settled", "line_fact_unsettled", "line_fact", "entitlement_fact", "entitlement_rule",
    "product_type_told", "renewal_change", "transaction_first", "transaction_telling", "line_notification", "line_name",
    "line_entry", "customer_reach", "asked_queue", "client_event_step", "client_report", "client_completion",
    "client_attempt", "transaction_signed", "line_term", "line_word", "line_heard", "passage", "passage_fact",
    "passage_rule", "passage_state", "period_access", "line_stage", "posting_of_stage", "posting_of_transaction",
    "posting_of_payment", "posting_of_notification", "posting", "posting_day", "posting_period", "report_period",
    "metric_figure",
  ]

  /// The names of the views that are exported: all that are no steps.
  static var viewNames: [String] { PortableSchema.views.map(\.name).filter { !steps.contains($0) } }

  /// Every relation, those first that tell whose a statement is.
  /// - Parameters:
  ///   - database: a connection on which the views are laid.
  ///   - options: whether views, and texts that arrived, are among them.
  static func all(_ database: Database, _ options: ExportOptions) throws -> [ExportRelation] {
    let sealed = try SealedTable.all(database)
    let names = try String.fetchAll(
      database, sql: "SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY rowid")
    let tables = try names.filter {
      !PortableSchema.internalTables.contains($0) && !PortableSchema.constantTables.contains($0)
        && !$0.hasPrefix("projection_") && !$0.hasPrefix("sqlite_")
    }.map { name in
      try table(
        PortableSchema.table(name, database), sealed.first { $0.name == name }, isWithPayloads: options.isWithPayloads)
    }
    let first = tables.filter { $0.owner == .line }
    let views = try options.isWithViews ? viewNames.map { try view($0, database) } : []
    return first + tables.filter { $0.owner != .line } + views
  }

  private static func table(
    _ table: PortableSchema.Table, _ sealed: SealedTable?, isWithPayloads: Bool
  ) -> ExportRelation {
    let columns = table.columns.map { column -> String in
      let name = column.name.quotedDatabaseIdentifier
      guard texts[table.name]?.contains(column.name) == true else { return "t.\(name)" }
      guard isWithPayloads else { return "NULL AS \(name)" }
      guard column.name == "source" else { return "t.\(name)" }
      // Of a payload without the objects in it: those are rows of `statement`.
      let (id, view) = ("\(table.name)_id", table.name == "payload" ? "payload_rest_text" : "\(table.name)_text")
      return "(SELECT x.source FROM temp.\(view) x WHERE x.\(id) = t.\(id)) AS \(name)"
    }
    let names = Set(table.columns.map(\.name))
    let owner: Owner = names.contains("line_id") ? .line : names.contains("statement_id") ? .statement : .nobody
    return ExportRelation(
      name: table.name, isView: false,
      select: "SELECT \(columns.joined(separator: ", ")) FROM main.\(table.name.quotedDatabaseIdentifier) t",
      columns: table.columns, key: table.key, owner: owner, sealed: sealed,
      isByLine: sealed == nil && names.contains("line_id"))
  }

  /// What arrived, word for word: much of it, and all that people's devices and Apple said of them.
  private static let texts: [String: Set<String>] = [
    "payload": ["source"], "statement": ["source"], "problem": ["value"],
  ]

  private static func view(_ name: String, _ database: Database) throws -> ExportRelation {
    let statement = try database.makeStatement(sql: "SELECT * FROM temp.\(name)")
    let columns = statement.columnNames.map {
      PortableSchema.Column(name: $0, isInteger: isIntegerName($0), isBlob: false)
    }
    let names = Set(statement.columnNames)
    let hasLine = names.contains("line_id")
    return ExportRelation(
      name: name, isView: true, select: statement.sql, columns: columns, key: [], owner: hasLine ? .line : .nobody,
      sealed: nil,
      // Of a customer's claims, another line's news may change the row of this one.
      isByLine: hasLine && !names.contains("customer"))
  }

  /// What a view's column holds, by the house's names: SQLite does not know before it has a value.
  static func isIntegerName(_ name: String) -> Bool {
    let endings = [
      "_at", "_of", "_milliunits", "_count", "_key", "line_id", "version_id", "payload_id", "grant_id", "_days",
      "_months",
      "_number", "_place", "_level", "_percentage", "_intent", "_status", "_rank",
    ]
    let names: Set = [
      "has_access", "confirmed", "will_renew", "quantity", "offer_type", "preference", "revocation_reason", "instant",
      "error_code",
    ]
    return name.hasPrefix("is_") || names.contains(name) || endings.contains { name.hasSuffix($0) }
  }

  /// The place of a column.
  func place(of column: String) -> Int? { columns.firstIndex { $0.name == column } }
}
