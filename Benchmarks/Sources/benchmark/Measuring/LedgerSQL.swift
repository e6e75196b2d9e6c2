import AppStore

/// Holds all SQL about the ledger's tables and views: a change of the schema changes this file and no other.
enum LedgerSQL {
  /// Counts subscriptions, transactions and payloads.
  static let counts = """
    SELECT (SELECT COUNT(*) FROM original_transaction) AS subscriptions,
      (SELECT COUNT(*) FROM stg_transaction) AS transactions, (SELECT COUNT(*) FROM payload) AS payloads
    """

  /// Finds the greatest key of a subscription.
  static let lastKey = "SELECT MAX(original_transaction_key) FROM original_transaction"

  /// Finds the first subscription with an access state from a key on.
  static let subscriptionFromKey = """
    SELECT original_transaction_key AS key, original_transaction_id AS id
    FROM original_transaction JOIN projection_original_transaction USING (original_transaction_key)
    WHERE original_transaction_key >= ? AND deciding_version_id IS NOT NULL
    ORDER BY original_transaction_key LIMIT 1
    """

  /// Reads one row by its key: the least that any look-up costs in process.
  static let rowByKey = "SELECT * FROM original_transaction WHERE original_transaction_key = ?"

  /// Reads one row by an indexed id: the least that a look-up costs in another program.
  static func rowByID(_ id: String) -> String {
    "SELECT * FROM original_transaction WHERE original_transaction_id = '\(id)'"
  }

  /// Counts all subscriptions by state, at the instants of the question.
  static let states = "SELECT state, COUNT(*) FROM entitlement_state GROUP BY state"

  /// Sets the instants of a question in an engine where the parameters are a table.
  static func parameters(asOf: Instant, knownAt: Instant) -> String {
    "DELETE FROM param_query; INSERT INTO param_query VALUES (\(asOf.milliseconds), \(knownAt.milliseconds), 0)"
  }
}
