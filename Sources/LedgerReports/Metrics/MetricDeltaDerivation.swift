package import GRDB
internal import LedgerSchema
internal import LedgerStore

/// Derives the metric deltas of some subscriptions at a time, from the view `metric_delta_derived`. The connection has
/// the temporary tables of a question's parameters. A table stores each view that several parts of the derivation read.
package struct MetricDeltaDerivation {
  /// Views that several parts read. Each follows the views that it reads itself.
  private static let shared =
    ["int_current_transaction_version", "transaction_current"] + DerivedTables.stateHistory + ["transaction_fact"]

  private let database: Database
  private let tables: DerivedTables

  /// Prepares a new connection, before any transaction. Derived rows are many and short-lived, so they stay in memory.
  static func prepare(_ database: Database) throws {
    try database.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536")
  }

  /// Creates the views of the derivation on the connection.
  /// - Parameter overlaid: the views that the connection has; this adds to it.
  package init(_ database: Database, overlaid: inout Set<String>) throws {
    self.database = database
    tables = try DerivedTables(Self.shared, on: database, overlaid: &overlaid)
    try Schema.overlay(
      "metric_delta_derived", as: "derivation_of_metric_delta_derived", on: database, overlaid: &overlaid)
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

  /// Derives the states of the subscriptions in `temp.param_scope` into `temp.state_history`, and no metric deltas.
  package func deriveStates() throws {
    try tables.derive(DerivedTables.stateHistory)
  }
}
