package import GRDB

/// The schema that another engine needs to run the views: tables, constant rows, parameters and the views themselves.
package struct PortableSchema {
  /// A table in the form that other engines get.
  package struct Table: Sendable {
    package let name: String
    package let columns: [Column]
    /// The names of the primary key's columns, in the key's order.
    package let key: [String]
  }

  /// A column of integers or of text. Digests become text, as hexadecimal digits.
  package struct Column: Sendable, Equatable {
    package let name: String
    package let isInteger: Bool
    let isBlob: Bool

    package init(name: String, isInteger: Bool, isBlob: Bool) {
      (self.name, self.isInteger, self.isBlob) = (name, isInteger, isBlob)
    }
  }

  /// The tables of evidence, of entries and of what is derived from them, in the order of the migrations.
  let tables: [Table]
  /// The CREATE INDEX statements for these tables.
  let indexes: [String]
  /// The tables that views read as parameters.
  let parameters: [Table]
  /// The constant tables, with the rows that every ledger contains.
  let constants: [(name: String, rows: [[Int64]])]

  /// The views for other engines, each after the views that it reads. Parameter views and views that only SQLite can run
  /// are left out. Where SQLite stores the rows of a view, the other engine derives them.
  package static var views: [Schema.Script] {
    let views = Schema.views.compactMap { view -> Schema.Script? in
      guard let relation = SchemaRelations.current[view.name], !relation.isParameter, !relation.isSQLiteOnly else {
        return nil
      }
      return relation.elsewhere.map { portable(view.name, as: $0) } ?? view
    }
    let stored = SchemaRelations.current.relations.compactMap { relation in
      relation.derived.flatMap { relation.isPublic ? nil : portable(relation.name, as: $0) }
    }
    return Schema.inOrder(views + stored)
  }

  /// Reads the schema from a new ledger, which it creates in memory.
  static func read() throws -> PortableSchema {
    let queue = try DatabaseQueue()
    defer { try? queue.close() }
    return try queue.write { try PortableSchema($0) }
  }

  private init(_ database: Database) throws {
    try Schema.migrate(database)
    let names = try String.fetchAll(
      database, sql: "SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY rowid")
    tables = try names.filter { name in
      SchemaRelations.current[name].map { ($0.isExported || $0.isConstant) && $0.derived == nil } ?? false
    }.map { try Self.table($0, database) }
    let exported = Set(tables.map(\.name))
    indexes = try Row.fetchAll(
      database,
      sql: "SELECT tbl_name, sql FROM main.sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid"
    ).filter { exported.contains($0[0]) }.map { $0[1] }
    let integers = try IntegerNames(database)
    parameters = try Schema.parameterRelations.map { try Self.parameter($0, integers, database) }
    constants = try SchemaRelations.current.relations.filter(\.isConstant).map(\.name).map { name in
      let rows = try Row.fetchAll(database, sql: "SELECT * FROM \(name) ORDER BY 1")
      return (name, rows.map { row in row.databaseValues.map { Int64.fromDatabaseValue($0) ?? 0 } })
    }
  }

  /// Returns a table's columns, without those that have no meaning outside of the file.
  package static func table(_ name: String, _ database: Database) throws -> Table {
    let rows = try Row.fetchAll(database, sql: "PRAGMA main.table_info(\(name.quotedDatabaseIdentifier))")
    let left = SchemaRelations.current[name]?.internalColumns ?? []
    let columns = rows.filter { !left.contains($0["name"]) }.map {
      Column(name: $0["name"], isInteger: $0["type"] == "INTEGER", isBlob: $0["type"] == "BLOB")
    }
    let key = rows.filter { ($0["pk"] as Int) > 0 }.sorted { ($0["pk"] as Int) < ($1["pk"] as Int) }
    return Table(name: name, columns: columns, key: key.map { $0["name"] })
  }

  /// Returns the columns of a parameter view, as a table for other engines.
  private static func parameter(_ name: String, _ integers: IntegerNames, _ database: Database) throws -> Table {
    let statement = try database.makeStatement(sql: "SELECT * FROM \(name.quotedDatabaseIdentifier)")
    return Table(name: name, columns: integers.columns(statement.columnNames), key: [])
  }

  /// The names of columns that are integers: where a table declares one so, or where the data dictionary lists it.
  package struct IntegerNames {
    private let names: Set<String>

    /// Reads the names from the tables of a file.
    package init(_ database: Database) throws {
      names = try String.fetchSet(
        database,
        sql: """
          SELECT c.name FROM main.sqlite_schema t JOIN pragma_table_info(t.name, 'main') c
          WHERE t.type = 'table' AND c.type = 'INTEGER'
          """)
    }

    /// Returns the columns of a view.
    package func columns(_ columns: [String]) -> [Column] {
      columns.map {
        Column(name: $0, isInteger: names.contains($0) || SchemaRelations.current.isComputedInteger($0), isBlob: false)
      }
    }
  }

  /// Returns the whole schema as one script for an engine's own shell.
  func script(for dialect: Dialect) -> String {
    var text = """
      -- The ledger's tables and views for \(dialect.rawValue): load the files of an export into the tables of their names.
      --
      -- Integers are instants in milliseconds since 1970, money in milliunits, keys and flags; digests are text.


      """
    text += dialect.preamble
    for table in tables { text += Self.create(table, dialect) }
    // Only PostgreSQL needs indexes. The other engines read whole columns.
    if dialect == .postgresql { text += indexes.map { "\($0);\n" }.joined() + "\n" }
    for (name, rows) in constants { text += Self.insert(name, rows) }
    for table in parameters {
      text += """
        -- What is asked, a row a question; as many as you like:
        -- INSERT INTO \(table.name) VALUES (\(table.columns.map(\.name).joined(separator: ", ")));

        """
      text += Self.create(table, dialect)
    }
    let renderer = DialectRenderer(dialect: dialect)
    for view in Self.views { text += renderer.render(view.sql) + "\n" }
    return text
  }

  /// Returns a view for other engines. Where a view searches through SQLite's indexes, the other engine reads the
  /// relation that the view narrows.
  private static func portable(_ name: String, as other: String) -> Schema.Script {
    Schema.Script(name, Array("CREATE VIEW \(name) AS\nSELECT * FROM \(other);\n".utf8))
  }

  private static func create(_ table: Table, _ dialect: Dialect) -> String {
    var parts = table.columns.map { "  \($0.name) \($0.isInteger ? dialect.integerType : dialect.textType)" }
    if dialect == .postgresql, !table.key.isEmpty {
      parts.append("  PRIMARY KEY (\(table.key.joined(separator: ", ")))")
    }
    return "CREATE TABLE \(table.name) (\n\(parts.joined(separator: ",\n"))\n\(dialect.tableEnding);\n\n"
  }

  private static func insert(_ name: String, _ rows: [[Int64]]) -> String {
    let values = rows.map { "(" + $0.map(String.init).joined(separator: ", ") + ")" }
    let lines = stride(from: 0, to: values.count, by: 4).map {
      "  " + values[$0..<min($0 + 4, values.count)].joined(separator: ", ")
    }
    return "INSERT INTO \(name) VALUES\n\(lines.joined(separator: ",\n"));\n\n"
  }
}

extension Dialect {
  /// Returns a script that creates the ledger's tables and views in this engine. Run it in the engine's shell, then
  /// load the files of an export into the tables. The views have the ledger's own texts, rewritten where the engine
  /// differs.
  /// - Throws: an error of SQLite when the schema cannot be read from a new ledger in memory.
  public func schemaScript() throws -> String { try PortableSchema.read().script(for: self) }
}
