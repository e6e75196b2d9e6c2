internal import GRDB
internal import LedgerSchema
internal import LedgerStore

/// Proof that the stored metric deltas were derived by this program's views. Only the check makes one, and a report reads
/// stored deltas by it alone.
struct UpToDateMetricDeltas {
  private let database: Database

  /// - Returns: `nil` when another version of the program derived them.
  init?(checking database: Database) throws {
    guard try Schema.hasPresentViews(database) else { return nil }
    self.database = database
  }

  /// Returns the subscriptions for which no stored delta answers a question, by their keys, sorted: something was recorded
  /// about them after the deltas were derived or after the question's instant, or not all of their evidence counts.
  func uncovered(_ question: Question) throws -> [Int64] {
    try Int64.fetchAll(
      database,
      sql: """
        SELECT n.original_transaction_key FROM main.original_transaction n
        LEFT JOIN main.projection_metric_coverage m ON m.original_transaction_key = n.original_transaction_key
        LEFT JOIN main.projection_original_transaction l
          ON l.original_transaction_key = n.original_transaction_key AND l.last_recorded_at <= $knownAt
            AND l.least_trust >= $leastTrust
        WHERE m.original_transaction_key IS NULL OR l.original_transaction_key IS NULL
        ORDER BY 1
        """,
      arguments: ["knownAt": question.knownAt.milliseconds, "leastTrust": question.leastTrust.rawValue])
  }
}
