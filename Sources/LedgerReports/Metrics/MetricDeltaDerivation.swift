package import GRDB
internal import LedgerSchema
package import LedgerStore

/// Derives the metric deltas of some subscriptions at a time, from the view `metric_delta_derived`. The connection has
/// the temporary tables of a query's parameters. A table stores each view that several parts of the derivation read.
package struct MetricDeltaDerivation {
  private let database: Database
  /// The derivation of the answers; `nil`: the stored ones are read.
  private let answers: DerivedAnswers?
  private let states: DerivedTables
  /// Other views that several parts read.
  private let shared: DerivedTables

  /// Prepares a new connection, before any transaction. Derived rows are many and short-lived, so they stay in memory.
  static func prepare(_ database: Database) throws {
    try database.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536")
  }

  /// Creates the views of the derivation on the connection.
  /// - Parameters:
  ///   - database: a connection of the scope `some` or `derived`.
  ///   - basis: what the answers are derived from; `nil` for the scope `some`, whose answers are stored.
  ///   - temporaryViews: the views that the connection has; this adds to it.
  package init(
    _ database: Database, _ basis: DerivedAnswers.Basis?, temporaryViews: inout Set<String>
  ) throws {
    self.database = database
    answers = basis.map { DerivedAnswers(existing: $0, for: ["metric_delta_derived"], on: database) }
    states = try DerivedTables(["state_history"], on: database, temporaryViews: &temporaryViews)
    // Each follows the views that it reads itself.
    shared = try DerivedTables(
      [
        "int_current_transaction_version", "transaction_current", "transaction_fact", "int_refund_notification",
        "refund_request",
      ], on: database, temporaryViews: &temporaryViews)
    try Schema.createTemporaryViews(["metric_delta_derived"], on: database, temporaryViews: &temporaryViews)
  }

  /// Adds the metric deltas of the subscriptions in `temp.param_subscription` to sums.
  package func derive(into sums: inout MetricDeltaSums, _ dimensions: MetricDimensions) throws {
    try deriveStates()
    try shared.derive()
    try sums.add(
      BoundStatement(
        database,
        "SELECT \(MetricDimensions.columns), \(MetricDeltaSums.columns) FROM temp.metric_delta_derived"),
      dimensions)
  }

  /// Derives the states of the subscriptions in `temp.param_subscription` into `temp.state_history`, and no metric deltas.
  package func deriveStates() throws {
    try answers?.derive()
    try states.derive()
  }
}
