import AppStore

/// The SQL about the ledger's tables and views. A change of the schema changes this file and no other.
enum LedgerSQL {
  /// A query that counts subscriptions, transactions and payloads.
  static let counts = """
    SELECT (SELECT COUNT(*) FROM original_transaction) AS subscriptions,
      (SELECT COUNT(*) FROM stg_transaction) AS transactions, (SELECT COUNT(*) FROM payload) AS payloads
    """

  /// A query for the greatest key of a subscription.
  static let lastKey = "SELECT MAX(original_transaction_key) FROM original_transaction"

  /// A query for the first subscription from a key on that has a deciding transaction.
  static let subscriptionFromKey = """
    SELECT original_transaction_key AS key, original_transaction_id AS id
    FROM original_transaction o
    WHERE original_transaction_key >= ?
      AND EXISTS (SELECT 1 FROM entitlement_period p WHERE p.original_transaction_key = o.original_transaction_key)
    ORDER BY original_transaction_key LIMIT 1
    """

  /// A query for one row by its key, the lowest cost of any look-up in process.
  static let rowByKey = "SELECT * FROM original_transaction WHERE original_transaction_key = ?"

  /// Returns a query for one row by an indexed id, the lowest cost of a look-up in another program.
  static func rowByID(_ id: String) -> String {
    "SELECT * FROM original_transaction WHERE original_transaction_id = '\(id)'"
  }

  /// A query for the first account token from a key on, with the id of its subscription.
  static let tokenFromKey = """
    SELECT identifier AS token, original_transaction_id AS id
    FROM original_transaction_identifier JOIN original_transaction USING (original_transaction_key)
    WHERE kind = 'app_account_token' AND original_transaction_key >= ? ORDER BY original_transaction_key LIMIT 1
    """

  /// Returns a query for the rows of a public view or table about one subscription or customer, as an analyst writes it
  /// in the sqlite3 shell.
  static func rows(of view: String, about id: String) -> String {
    switch view {
    case "customer_entitlement": "SELECT * FROM customer_entitlement WHERE customer = '\(id)'"
    case "entitlement_period":
      """
      SELECT p.* FROM entitlement_period p JOIN original_transaction USING (original_transaction_key)
      WHERE original_transaction_id = '\(id)'
      """
    default: "SELECT * FROM \(view) WHERE original_transaction_id = '\(id)'"
    }
  }

  /// A query that counts the stored periods.
  static let periods = "SELECT COUNT(*) FROM entitlement_period"

  /// A query for the products of the ledger's subscriptions, with their app.
  static let products = """
    SELECT DISTINCT s.product_id, p.bundle_id
    FROM transaction_version v JOIN transaction_info s USING (transaction_info_id) JOIN payload p USING (payload_id)
    WHERE v.version_id < 10000 AND s.product_id IS NOT NULL AND p.bundle_id IS NOT NULL
    """

  /// Statements that delete the stored metrics, so that the next report derives all of them again.
  static let forgetMetrics = """
    DELETE FROM projection_metric_coverage; DELETE FROM projection_metric_delta;
    DELETE FROM projection_metric_delta_sum; DELETE FROM projection_metric_dimensions
    """

  /// A query that counts the subscriptions by state, at the instants of the question.
  static let states = "SELECT state, COUNT(*) FROM entitlement_state GROUP BY state"

  /// Returns statements that set the instants of a question, for an engine whose parameters are a table.
  static func parameters(asOf: Instant, knownAt: Instant) -> String {
    "DELETE FROM param_query; INSERT INTO param_query VALUES (\(asOf.milliseconds), \(knownAt.milliseconds), 0)"
  }
}
