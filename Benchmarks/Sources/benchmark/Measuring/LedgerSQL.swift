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

  /// Finds an account token, and the subscription that it belongs to, from a key on.
  static let tokenFromKey = """
    SELECT identifier AS token, original_transaction_id AS id
    FROM original_transaction_identifier JOIN original_transaction USING (original_transaction_key)
    WHERE kind = 'app_account_token' AND original_transaction_key >= ? ORDER BY original_transaction_key LIMIT 1
    """

  /// Asks a public view about one subscription, as an analyst does in the sqlite3 shell.
  static func entitlement(_ id: String) -> String {
    "SELECT * FROM entitlement WHERE original_transaction_id = '\(id)'"
  }

  /// Asks for everything that a customer may use.
  static func customerEntitlement(_ customer: String) -> String {
    "SELECT * FROM customer_entitlement WHERE customer = '\(customer)'"
  }

  /// Finds the products of the ledger's subscriptions and their app.
  static let products = """
    SELECT DISTINCT s.product_id, p.bundle_id
    FROM transaction_version v JOIN transaction_info s USING (transaction_info_id) JOIN payload p USING (payload_id)
    WHERE v.version_id < 10000 AND s.product_id IS NOT NULL AND p.bundle_id IS NOT NULL
    """

  /// Makes the next report measure every subscription again.
  static let forgetMetrics = """
    DELETE FROM projection_metric_coverage; DELETE FROM projection_metric_delta;
    DELETE FROM projection_metric_delta_sum; DELETE FROM projection_metric_dimensions
    """

  /// Counts all subscriptions by state, at the instants of the question.
  static let states = "SELECT state, COUNT(*) FROM entitlement_state GROUP BY state"

  /// Sets the instants of a question in an engine where the parameters are a table.
  static func parameters(asOf: Instant, knownAt: Instant) -> String {
    "DELETE FROM param_query; INSERT INTO param_query VALUES (\(asOf.milliseconds), \(knownAt.milliseconds), 0)"
  }
}
