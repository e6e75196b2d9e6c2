package import GRDB
internal import LedgerSchema

/// Views that are derived once for some subscriptions, into temporary tables of the same names: whatever reads them reads
/// the tables.
package struct DerivedTables {
  private let database: Database
  private let names: [String]

  /// Lays the views and makes their tables.
  /// - Parameters:
  ///   - names: each after those that it reads.
  ///   - overlaid: what the connection has; added to.
  package init(_ names: [String], on database: Database, overlaid: inout Set<String>) throws {
    (self.database, self.names) = (database, names)
    for name in names {
      try Schema.overlay(name, as: "derivation_of_\(name)", on: database, overlaid: &overlaid)
      try database.execute(sql: "CREATE TEMP TABLE \(name) AS SELECT * FROM temp.derivation_of_\(name) WHERE 0")
    }
  }

  /// Fills the tables again, for the subscriptions in `temp.param_scope`.
  /// - Parameter some: the tables to fill; `nil` for all.
  package func derive(_ some: [String]? = nil) throws {
    for name in names where some?.contains(name) ?? true {
      try database.cachedStatement(sql: "DELETE FROM temp.\(name)").execute()
      try database.cachedStatement(sql: "INSERT INTO temp.\(name) SELECT * FROM temp.derivation_of_\(name)").execute()
    }
  }
}
