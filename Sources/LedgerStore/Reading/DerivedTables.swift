package import GRDB
internal import LedgerSchema

/// Temporary tables with the rows of views, derived once for some subscriptions. They have the names of the views, so
/// statements that name a view read its table.
package struct DerivedTables {
  private let database: Database
  private let names: [String]

  /// Creates the temporary views and their empty tables.
  /// - Parameters:
  ///   - names: the views, each after the views that it reads.
  ///   - database: the connection to the file.
  ///   - temporaryViews: the temporary relations that the connection has. The created ones are added.
  package init(_ names: [String], on database: Database, temporaryViews: inout Set<String>) throws {
    (self.database, self.names) = (database, names)
    for name in names {
      try Schema.createTemporaryView(name, as: Self.derivation(of: name), on: database, temporaryViews: &temporaryViews)
      try database.execute(sql: try Self.creation(of: name, database))
    }
  }

  /// Returns the name of the temporary view from which a table is filled.
  package static func derivation(of name: String) -> String { "derivation_of_\(name)" }

  /// Names tables that the connection has already.
  init(existing names: [String], on database: Database) { (self.database, self.names) = (database, names) }

  /// Returns SQL that creates the table of a view. Where the view names its key, the rows are stored in this order.
  private static func creation(of name: String, _ database: Database) throws -> String {
    guard let key = Schema.view(name)?.key else {
      return "CREATE TEMP TABLE \(name) AS SELECT * FROM temp.\(Self.derivation(of: name)) WHERE 0"
    }
    // Without its type, SQLite would not search for a column by the integers of another table.
    let columns = try Row.fetchAll(database, sql: "PRAGMA temp.table_info('\(Self.derivation(of: name))')").map {
      "\($0["name"] as String) \($0["type"] as String)"
    }
    return "CREATE TEMP TABLE \(name) (\(columns.joined(separator: ", ")), PRIMARY KEY (\(key))) WITHOUT ROWID"
  }

  /// Fills the tables again, for the subscriptions in `temp.param_subscription`.
  /// - Parameters:
  ///   - extended: the tables to which the rows are added. The others are cleared first.
  ///   - selections: for some tables, a SELECT of the rows that are needed of their view.
  package func derive(addingTo extended: Set<String> = [], selecting selections: [String: String] = [:]) throws {
    for name in names {
      if !extended.contains(name) { try clear(name) }
      let selection = selections[name] ?? "SELECT * FROM temp.\(Self.derivation(of: name))"
      try database.cachedStatement(sql: "INSERT INTO temp.\(name) \(selection)").execute()
    }
  }

  /// Removes all rows from the tables.
  func clear() throws { for name in names { try clear(name) } }

  private func clear(_ name: String) throws {
    try database.cachedStatement(sql: "DELETE FROM temp.\(name)").execute()
  }
}
