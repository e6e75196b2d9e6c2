internal import GRDB
internal import LedgerSchema
internal import LedgerStore

/// A table or view as it is exported.
struct ExportRelation {
  /// How a row is told to belong to a line.
  enum Owner { case line, nobody }

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

  /// The names of the views that are exported.
  static var viewNames: [String] {
    PortableSchema.views.map(\.name).filter { Manifest.current[$0]?.isExported == true }
  }

  /// Every relation.
  /// - Parameters:
  ///   - database: a connection on which the views are overlaid.
  ///   - options: whether views, and texts that arrived, are among them.
  static func all(_ database: Database, _ options: ExportOptions) throws -> [ExportRelation] {
    let sealed = try SealedTable.all(database)
    let names = try String.fetchAll(
      database, sql: "SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY rowid")
    let tables = try names.filter { Manifest.current[$0]?.isExported == true }.map { name in
      try table(
        PortableSchema.table(name, database), sealed.first { $0.name == name }, isWithPayloads: options.isWithPayloads)
    }
    let views = try options.isWithViews ? viewNames.map { try view($0, database) } : []
    return tables + views
  }

  private static func table(
    _ table: PortableSchema.Table, _ sealed: SealedTable?, isWithPayloads: Bool
  ) -> ExportRelation {
    let columns = table.columns.map { column -> String in
      let name = column.name.quotedDatabaseIdentifier
      guard Manifest.current[table.name]?.textColumns.contains(column.name) == true else { return "t.\(name)" }
      guard isWithPayloads else { return "NULL AS \(name)" }
      guard column.name == "source" else { return "t.\(name)" }
      // Of a payload without the objects in it: those are rows of their own tables.
      let (id, view) = ("\(table.name)_id", table.name == "payload" ? "payload_rest_text" : "\(table.name)_text")
      return "(SELECT x.source FROM temp.\(view) x WHERE x.\(id) = t.\(id)) AS \(name)"
    }
    let names = Set(table.columns.map(\.name))
    let owner: Owner = names.contains("original_transaction_key") ? .line : .nobody
    return ExportRelation(
      name: table.name, isView: false,
      select: "SELECT \(columns.joined(separator: ", ")) FROM main.\(table.name.quotedDatabaseIdentifier) t",
      columns: table.columns, key: table.key, owner: owner, sealed: sealed,
      isByLine: sealed == nil && names.contains("original_transaction_key"))
  }

  private static func view(_ name: String, _ database: Database) throws -> ExportRelation {
    let statement = try database.makeStatement(sql: "SELECT * FROM temp.\(name)")
    let columns = try PortableSchema.columns(statement.columnNames, database)
    let names = Set(statement.columnNames)
    let hasLine = names.contains("original_transaction_key")
    return ExportRelation(
      name: name, isView: true, select: statement.sql, columns: columns, key: [], owner: hasLine ? .line : .nobody,
      sealed: nil,
      // Of a customer's claims, another line's news may change the row of this one.
      isByLine: hasLine && !names.contains("customer"))
  }

  /// The place of a column.
  func place(of column: String) -> Int? { columns.firstIndex { $0.name == column } }
}
