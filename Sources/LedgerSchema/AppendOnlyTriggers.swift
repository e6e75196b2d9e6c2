internal import GRDB

/// The triggers that refuse changes to append-only tables. They are generated from ``SchemaRelations``, so that no migration
/// repeats them.
enum AppendOnlyTriggers {
  /// Returns the SQL of a table's triggers.
  ///
  /// The trigger refuses a replacement before SQLite deletes the row that it would replace. Otherwise INSERT OR REPLACE
  /// would delete the row without running the delete triggers. It uses `FAIL`, because with `ABORT` SQLite keeps a
  /// journal for every inserted row.
  /// - Parameter keys: the columns of the primary key and of every unique index.
  static func triggers(of table: String, keys: [Key]) -> [String] {
    let conditions = keys.map { key in
      let match = key.columns.map { "\($0) = NEW.\($0)" }.joined(separator: " AND ")
      let exists = "EXISTS (SELECT 1 FROM \(table) WHERE \(match))"
      // A row number that SQLite will choose is -1 in this trigger. It replaces nothing, so the trigger need not search
      // for it.
      return key.isRowNumber ? "(NEW.\(key.columns[0]) <> -1 AND \(exists))" : exists
    }
    return [
      """
      CREATE TRIGGER \(table)_refuses_update BEFORE UPDATE ON \(table)
      BEGIN SELECT RAISE(ABORT, '\(table) is append-only: a row is never changed'); END
      """,
      """
      CREATE TRIGGER \(table)_refuses_delete BEFORE DELETE ON \(table)
      BEGIN SELECT RAISE(ABORT, '\(table) is append-only: a row is never deleted'); END
      """,
      """
      CREATE TRIGGER \(table)_refuses_replacement BEFORE INSERT ON \(table)
      WHEN \(conditions.joined(separator: "\n  OR "))
      BEGIN SELECT RAISE(FAIL, '\(table) is append-only: a row is never replaced'); END
      """,
    ]
  }

  /// Columns that identify a row of a table.
  struct Key {
    let columns: [String]
    /// Whether the key is the row number that SQLite assigns.
    let isRowNumber: Bool
  }

  private static func keys(of table: String, _ database: Database) throws -> [Key] {
    let quoted = table.quotedDatabaseIdentifier
    let primary = try Row.fetchAll(database, sql: "PRAGMA main.table_info(\(quoted))")
      .filter { ($0["pk"] as Int) > 0 }.sorted { ($0["pk"] as Int) < ($1["pk"] as Int) }
    let isRowNumber = primary.count == 1 && primary[0]["type"] == "INTEGER"
    let own = Key(columns: primary.map { $0["name"] }, isRowNumber: isRowNumber)
    let indexes = try Row.fetchAll(database, sql: "PRAGMA main.index_list(\(quoted))")
      .filter { $0["unique"] == 1 && $0["origin"] != "pk" }.map { $0["name"] as String }
    let others = try indexes.sorted().map { index in
      let columns = try String.fetchAll(
        database, sql: "SELECT name FROM pragma_index_info(?) ORDER BY seqno", arguments: [index])
      return Key(columns: columns, isRowNumber: false)
    }
    let isWithoutNumbers = try Bool.fetchOne(
      database, sql: "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", arguments: [table])
    // A table whose key is not the row number has a hidden row number, unless it is WITHOUT ROWID.
    let hidden = isRowNumber || isWithoutNumbers == true ? [] : [Key(columns: ["rowid"], isRowNumber: true)]
    return [own] + others + hidden
  }

  /// Drops the triggers of a file and generates those that the data dictionary requires. Also fills the tables in which the
  /// file itself lists its sealed tables and erasable columns.
  static func generate(_ database: Database, _ relations: SchemaRelations) throws {
    let old = try String.fetchAll(
      database,
      sql:
        "SELECT name FROM main.sqlite_schema WHERE type = 'trigger' AND name LIKE tbl_name || '\\_refuses\\_%' ESCAPE '\\'"
    )
    for name in old { try database.execute(sql: "DROP TRIGGER main.\(name.quotedDatabaseIdentifier)") }
    try list(database, relations)
    for relation in relations.relations where relation.isAppendOnly {
      for trigger in triggers(of: relation.name, keys: try keys(of: relation.name, database)) {
        try database.execute(sql: trigger)
      }
    }
  }

  private static func list(_ database: Database, _ relations: SchemaRelations) throws {
    for relation in relations.sealedTables {
      guard let number = relation.sealNumber else { continue }
      try database.execute(
        sql: "INSERT OR IGNORE INTO sealed_table VALUES (?, ?)", arguments: [number, relation.name])
      for (columns, isIdentity) in [(relation.identityColumns, true), (relation.erasableColumns, false)] {
        for column in columns {
          try database.execute(
            sql: "INSERT OR IGNORE INTO erasable_column VALUES (?, ?, ?)", arguments: [number, column, isIdentity])
        }
      }
      if relation.isRemovable {
        try database.execute(sql: "INSERT OR IGNORE INTO erasable_table VALUES (?)", arguments: [number])
      }
    }
  }
}
