internal import GRDB
internal import LedgerReports
internal import LedgerSchema
internal import LedgerStore

/// Compares the projections of subscriptions with what their evidence derives (law 5), one slice at a time.
struct ProjectionAudit {
  private let database: Database
  private let tables: DerivedTables

  /// Prepares the derivation on a connection.
  /// - Parameter database: a connection that is used for nothing else. Its projections are empty, so that the views
  ///   derive everything.
  init(_ database: Database) throws {
    self.database = database
    for table in ["projection_original_transaction", "projection_transaction", "projection_renewal_info"] {
      try database.execute(sql: "CREATE TEMP TABLE \(table) AS SELECT * FROM main.\(table) WHERE 0")
    }
    var overlaid = try ReadConnection.prepare(database, .subscriptions)
    // Ids are derived for the slice only, not for the whole file.
    try database.execute(sql: "CREATE TEMP VIEW int_scope_all AS SELECT * FROM temp.param_scope")
    overlaid.insert("int_scope_all")
    tables = try DerivedTables(Self.derivations, on: database, overlaid: &overlaid)
    try Schema.overlay(["stg_payload"], on: database, overlaid: &overlaid)
  }

  /// Views that are derived once. Each follows the views that it reads itself.
  private static let derivations =
    [
      "int_transaction_version_interval", "int_known_renewal_info_version", "int_last_evidence_derived", "rule_input",
      "int_projected_identifier",
    ] + DerivedTables.stateHistory

  /// The result of the check on one slice.
  struct Result: Sendable {
    var findings = FindingList()
    /// How many subscriptions were checked.
    var count = 0
  }

  func check(_ slice: SubscriptionSlice) throws -> Result {
    var result = Result()
    try derive(slice)
    for check in Self.checks {
      for (left, right, words) in [
        (check.kept + " WHERE " + SubscriptionSlice.condition, check.derived, "stores what is not derived"),
        (check.derived, check.kept + " WHERE " + SubscriptionSlice.condition, "lacks what is derived"),
      ] {
        let sql = "SELECT original_transaction_key FROM (\(left) EXCEPT \(right)) LIMIT 100"
        for key in try Int64.fetchAll(database.cachedStatement(sql: sql), arguments: slice.arguments) {
          result.findings.note(
            .projection, check.table, "\(words), for original_transaction_key \(key)", of: "\(check.table) \(words)")
        }
      }
    }
    result.count = try count("temp.param_scope")
    return result
  }

  private func derive(_ slice: SubscriptionSlice) throws {
    try slice.ask(database)
    try tables.derive()
  }

  /// Compares the original transactions that link entries name. They are few, so all are compared at once.
  /// - Parameter database: any connection to the file.
  static func checkLinkTargets(_ database: Database) throws -> FindingList {
    var findings = FindingList()
    let table = "customer_link_target"
    for (left, right, words) in [
      (ProjectionKeeper.keptLinkTargets, ProjectionKeeper.derivedLinkTargets, "stores what is not derived"),
      (ProjectionKeeper.derivedLinkTargets, ProjectionKeeper.keptLinkTargets, "lacks what is derived"),
    ] {
      for entry in try Int64.fetchAll(database, sql: "SELECT entry_id FROM (\(left) EXCEPT \(right)) LIMIT 100") {
        findings.note(.projection, table, "\(words), for entry_id \(entry)", of: "\(table) \(words)")
      }
    }
    return findings
  }

  private func count(_ relation: String) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(relation)") ?? 0
  }

  private static let checks: [(table: String, kept: String, derived: String)] = [
    (
      "original_transaction_identifier",
      "SELECT original_transaction_key, identifier, kind FROM main.original_transaction_identifier",
      "SELECT original_transaction_key, identifier, kind FROM temp.int_projected_identifier"
    ),
    (
      "projection_gap", "SELECT original_transaction_key FROM main.projection_gap",
      """
      SELECT a.original_transaction_key FROM temp.param_scope a
      WHERE NOT EXISTS (
        SELECT 1 FROM main.projection_original_transaction p
        WHERE p.original_transaction_key = a.original_transaction_key
      )
      """
    ),
    (
      "projection_transaction", "SELECT * FROM main.projection_transaction",
      """
      SELECT original_transaction_key, transaction_key, known_from, known_until, version_id, evidence_at, source_rank,
        purchase_at, expires_at, revoked_at, is_upgraded FROM temp.int_transaction_version_interval
      """
    ),
    (
      "entitlement_period", "SELECT \(EntitlementPeriods.columns) FROM main.entitlement_period",
      """
      SELECT \(EntitlementPeriods.columns) FROM temp.state_history
      WHERE original_transaction_key NOT IN (SELECT original_transaction_key FROM main.entitlement_period_gap)
      """
    ),
    (
      "projection_renewal_info", "SELECT * FROM main.projection_renewal_info",
      "SELECT original_transaction_key, evidence_at, version_id, recorded_at FROM temp.int_known_renewal_info_version"
    ),
    (
      "projection_original_transaction",
      """
      SELECT original_transaction_key, evidence_at, deciding_version_id, transaction_key, deciding_evidence_at,
        product_id, purchase_at, expires_at, revoked_at, is_upgraded, renewal_info_version_id, grace_period_expires_at,
        is_in_billing_retry_period, expiration_intent, auto_renew_status, auto_renew_product_id, renewal_signed_at
      FROM main.projection_original_transaction
      """,
      """
      SELECT e.original_transaction_key, e.evidence_at, f.version_id, f.transaction_key, f.deciding_evidence_at,
        f.product_id, f.purchase_at, f.expires_at, f.revoked_at, f.is_upgraded, f.latest_renewal_info_version_id,
        f.grace_period_expires_at, f.is_in_billing_retry_period, f.expiration_intent, f.auto_renew_status,
        f.auto_renew_product_id, f.renewal_signed_at
      FROM temp.int_last_evidence_derived e LEFT JOIN temp.rule_input f USING (original_transaction_key)
      """
    ),
    (
      "projection_original_transaction",
      """
      SELECT original_transaction_key, last_recorded_at, is_contradicted, least_trust, renewal_evidence_at
      FROM main.projection_original_transaction
      """,
      """
      SELECT original_transaction_key, MAX(recorded_at), MAX(is_contradictory), MIN(trust_level), (
        SELECT MAX(evidence_at) FROM temp.int_known_renewal_info_version r
        WHERE r.original_transaction_key = stated.original_transaction_key
      )
      FROM (
        SELECT v.original_transaction_key, v.payload_id FROM temp.param_scope a CROSS JOIN main.transaction_version v
        WHERE v.original_transaction_key = a.original_transaction_key
        UNION ALL
        SELECT v.original_transaction_key, v.payload_id FROM temp.param_scope a CROSS JOIN main.renewal_info_version v
        WHERE v.original_transaction_key = a.original_transaction_key
        UNION ALL
        SELECT v.original_transaction_key, v.payload_id FROM temp.param_scope a CROSS JOIN main.status_claim v
        WHERE v.original_transaction_key = a.original_transaction_key
      ) stated
      CROSS JOIN temp.stg_payload i WHERE i.payload_id = stated.payload_id
      GROUP BY original_transaction_key
      """
    ),
  ]
}
