internal import GRDB
internal import LedgerSchema
internal import LedgerStore

/// A proof that the views of this program derived the stored metric deltas. Only the check creates a proof, and a
/// report needs one to read stored deltas.
struct UpToDateMetricDeltas {
  private let database: Database

  /// Checks the version of the views.
  /// - Returns: `nil` when another version of the program derived the deltas.
  init?(checking database: Database) throws {
    guard try Schema.hasCurrentMetrics(database) else { return nil }
    self.database = database
  }

  /// Returns the keys of the subscriptions whose stored deltas cannot answer a query, sorted. Something was recorded
  /// about them after their deltas were derived or after the query's `knownAt`. Or not all of their evidence counts.
  func uncovered(_ parameters: QueryParameters) throws -> [OriginalTransactionKey] {
    try OriginalTransactionKey.fetchAll(
      database,
      sql: """
        SELECT n.original_transaction_key FROM main.original_transaction n
        LEFT JOIN main.projection_metric_coverage m ON m.original_transaction_key = n.original_transaction_key
        LEFT JOIN main.projection_original_transaction l
          ON l.original_transaction_key = n.original_transaction_key AND l.last_recorded_at <= $knownAt
            AND l.weakest_trust >= $minimumTrust
        WHERE m.original_transaction_key IS NULL OR l.original_transaction_key IS NULL
        ORDER BY 1
        """,
      arguments: ["knownAt": parameters.knownAt.milliseconds, "minimumTrust": parameters.minimumTrust.rawValue])
  }
}
