package import GRDB
internal import LedgerSchema
internal import LedgerStore

/// Derives postings of some lines at a time, by the general text of `metric_delta_derived`: on a connection that has the
/// relations of questions. What several parts of that text read is derived once, into a table.
package struct MetricDeltaDerivation {
  /// Read by several parts, each after those that it reads.
  private static let shared = [
    "int_current_transaction_version", "transaction_current", "int_renewal_info_history", "state_history",
    "transaction_fact",
  ]

  private let database: Database
  private let tables: DerivedTables

  /// To be called on a new connection, before any transaction: what is derived is much, and soon gone, and not worth a file.
  static func prepare(_ database: Database) throws {
    try database.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536")
  }

  /// Lays the texts over the file's.
  /// - Parameter overlaid: what the connection has; added to.
  package init(_ database: Database, overlaid: inout Set<String>) throws {
    self.database = database
    tables = try DerivedTables(Self.shared, on: database, overlaid: &overlaid)
    try Schema.overlay("metric_delta_derived", as: "derivation_of_metric_delta_derived", on: database, overlaid: &overlaid)
  }

  /// Adds the metric deltas of the subscriptions in `temp.param_scope` to sums.
  package func derive(into sums: inout MetricDeltaSums, _ dimensions: MetricDimensions) throws {
    try tables.derive()
    try sums.add(
      Step(
        database,
        "SELECT \(MetricDimensions.columns), \(MetricDeltaSums.columns) FROM temp.derivation_of_metric_delta_derived"),
      dimensions)
  }

  /// Derives the states of the lines in `temp.param_scope` alone, as far as `temp.state_history` goes.
  package func deriveStates() throws {
    try tables.derive(["int_current_transaction_version", "int_renewal_info_history", "state_history"])
  }
}
