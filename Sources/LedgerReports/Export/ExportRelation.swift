internal import GRDB
internal import LedgerSchema
internal import LedgerStore

/// A table or view in the form in which it is exported.
struct ExportRelation {
  /// Whether the rows of a relation belong to original transactions.
  enum Owner { case originalTransaction, nobody }

  let name: String
  let isView: Bool
  let select: String
  let columns: [PortableSchema.Column]
  let key: [String]
  let owner: Owner
  /// The sealed table with these rows, so that the seals list the new ones; `nil` for views and other tables.
  let sealed: SealedTable?
  /// Whether the rows of one original transaction can be replaced without reading others.
  let isByOriginalTransaction: Bool
  /// Whether it compares with reports of App Store Connect, and none is imported: then it has no rows. Deriving that would
  /// read every transaction.
  var isWithoutReports = false
  /// The prepared ``select`` of a view, because preparing one takes long.
  var statement: GRDB.Statement?

  /// The names of the views that are exported.
  static var viewNames: [String] {
    PortableSchema.views.map(\.name).filter { SchemaRelations.current[$0]?.isExported == true }
  }

  /// Returns every relation of an export.
  /// - Parameters:
  ///   - database: a connection that has the views as temporary ones.
  ///   - options: whether to include views and the texts of payloads.
  static func all(_ database: Database, _ options: ExportOptions) throws -> [ExportRelation] {
    let sealed = try SealedTable.all(database)
    let names = try String.fetchAll(
      database, sql: "SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY rowid")
    let tables = try names.filter { SchemaRelations.current[$0]?.isExported == true && options.has($0) }.map { name in
      try table(
        PortableSchema.table(name, database), sealed.first { $0.name == name }, isWithPayloads: options.isWithPayloads)
    }
    let views = try options.isWithViews ? self.views(options, database) : []
    return tables + views
  }

  private static func table(
    _ table: PortableSchema.Table, _ sealed: SealedTable?, isWithPayloads: Bool
  ) -> ExportRelation {
    let columns = table.columns.map { column -> String in
      let name = column.name.quotedDatabaseIdentifier
      guard SchemaRelations.current[table.name]?.textColumns.contains(column.name) == true else { return "t.\(name)" }
      guard isWithPayloads else { return "NULL AS \(name)" }
      guard column.name == "source" else { return "t.\(name)" }
      // The objects in a payload are rows of their own tables, so its text comes without them.
      let (id, view) = ("\(table.name)_id", table.name == "payload" ? "payload_rest_text" : "\(table.name)_text")
      return "(SELECT x.source FROM temp.\(view) x WHERE x.\(id) = t.\(id)) AS \(name)"
    }
    let names = Set(table.columns.map(\.name))
    let owner: Owner = names.contains("original_transaction_key") ? .originalTransaction : .nobody
    return ExportRelation(
      name: table.name, isView: false,
      select: "SELECT \(columns.joined(separator: ", ")) FROM main.\(table.name.quotedDatabaseIdentifier) t",
      columns: table.columns, key: table.key, owner: owner, sealed: sealed,
      isByOriginalTransaction: sealed == nil && names.contains("original_transaction_key"))
  }

  private static func views(_ options: ExportOptions, _ database: Database) throws -> [ExportRelation] {
    let integers = try PortableSchema.IntegerNames(database)
    let hasReports = try database.has("SELECT 1 FROM main.apple_report", [])
    return try viewNames.filter(options.has).map { name in
      var relation = try view(name, integers, database)
      relation.isWithoutReports = !hasReports && Schema.closure(of: [name]).contains("stg_apple_report")
      return relation
    }
  }

  private static func view(
    _ name: String, _ integers: PortableSchema.IntegerNames, _ database: Database
  ) throws -> ExportRelation {
    let statement = try database.makeStatement(sql: "SELECT * FROM temp.\(name)")
    let columns = integers.columns(statement.columnNames)
    let names = Set(statement.columnNames)
    let hasKey = names.contains("original_transaction_key")
    return ExportRelation(
      name: name, isView: true, select: statement.sql, columns: columns, key: [],
      owner: hasKey ? .originalTransaction : .nobody,
      sealed: nil,
      // New evidence about one original transaction can change a customer's rows of another.
      isByOriginalTransaction: hasKey && !names.contains("customer"), statement: statement)
  }

  /// Returns the index of a column.
  func columnIndex(of column: String) -> Int? { columns.firstIndex { $0.name == column } }
}
