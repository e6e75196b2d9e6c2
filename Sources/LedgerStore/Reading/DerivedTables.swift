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
  ///   - overlaid: the temporary relations that the connection has. The created ones are added.
  package init(_ names: [String], on database: Database, overlaid: inout Set<String>) throws {
    (self.database, self.names) = (database, names)
    for name in names {
      try Schema.overlay(name, as: "derivation_of_\(name)", on: database, overlaid: &overlaid)
      try database.execute(sql: try Self.creation(of: name, database))
    }
  }

  /// Names tables that the connection has already.
  init(existing names: [String], on database: Database) { (self.database, self.names) = (database, names) }

  /// Returns SQL that creates the table of a view. Where the view names its key, the rows are stored in this order.
  private static func creation(of name: String, _ database: Database) throws -> String {
    guard let key = Schema.view(name)?.key else {
      return "CREATE TEMP TABLE \(name) AS SELECT * FROM temp.derivation_of_\(name) WHERE 0"
    }
    let columns = try database.makeStatement(sql: "SELECT * FROM temp.derivation_of_\(name)").columnNames
    return "CREATE TEMP TABLE \(name) (\(columns.joined(separator: ", ")), PRIMARY KEY (\(key))) WITHOUT ROWID"
  }

  /// The views that derive the states of subscriptions at every instant, each after the views that it reads.
  package static let stateHistory = [
    "int_last_evidence", "int_deciding_period", "int_renewal_info_history", "int_renewal_info_tie",
    "int_change_instant", "rule_input_timeline", "state_history",
  ]

  /// Fills the tables again, for the subscriptions in `temp.param_scope`.
  /// - Parameter some: the tables to fill, or `nil` for all.
  package func derive(_ some: [String]? = nil) throws {
    for name in names where some?.contains(name) ?? true {
      try database.cachedStatement(sql: "DELETE FROM temp.\(name)").execute()
      try database.cachedStatement(sql: "INSERT INTO temp.\(name) SELECT * FROM temp.derivation_of_\(name)").execute()
    }
  }
}
