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
      try database.execute(sql: "CREATE TEMP TABLE \(name) AS SELECT * FROM temp.derivation_of_\(name) WHERE 0")
    }
  }

  /// Fills the tables again, for the subscriptions in `temp.param_scope`.
  /// - Parameter some: the tables to fill, or `nil` for all.
  package func derive(_ some: [String]? = nil) throws {
    for name in names where some?.contains(name) ?? true {
      try database.cachedStatement(sql: "DELETE FROM temp.\(name)").execute()
      try database.cachedStatement(sql: "INSERT INTO temp.\(name) SELECT * FROM temp.derivation_of_\(name)").execute()
    }
  }
}
