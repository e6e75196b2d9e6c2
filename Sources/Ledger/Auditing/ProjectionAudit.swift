internal import GRDB

/// Some subscriptions, of which an audit looks at one slice at a time.
enum SubscriptionSlice: Sendable {
  /// All with keys in a range, and whatever is kept under such keys.
  case range(ClosedRange<Int64>)
  /// Named ones, sorted.
  case keys([Int64])

  /// How many subscriptions are derived at once: enough for a sort to be worth it, few enough for memory.
  static let width: Int64 = 500

  /// Asks about the slice's subscriptions, by all that is known.
  func ask(_ database: Database) throws {
    try database.cachedStatement(sql: "DELETE FROM temp.param_scope").execute()
    switch self {
    case .range(let range):
      try database.cachedStatement(
        sql: """
          INSERT INTO temp.param_scope SELECT ?1, ?1, original_transaction_key FROM main.original_transaction
          WHERE original_transaction_key BETWEEN ?2 AND ?3
          """
      ).execute(arguments: [Self.end, range.lowerBound, range.upperBound])
    case .keys(let keys):
      let insertion = try database.cachedStatement(sql: "INSERT INTO temp.param_scope VALUES (?1, ?1, ?2)")
      for key in keys { try insertion.execute(arguments: [Self.end, key]) }
    }
  }

  /// The end of time, for questions about all that is known.
  private static let end = Int64.max >> 1

  /// Which rows are the slice's, in statements with ``arguments``.
  static let condition = """
    original_transaction_key BETWEEN ?1 AND ?2 AND (
      ?3 = 0 OR original_transaction_key IN (SELECT original_transaction_key FROM temp.param_scope)
    )
    """

  /// The range of its keys, and whether only those asked about are meant.
  var arguments: StatementArguments {
    switch self {
    case .range(let range): [range.lowerBound, range.upperBound, 0]
    case .keys(let keys): [keys.first ?? 0, keys.last ?? -1, 1]
    }
  }
}

/// Compares what is kept of subscriptions with what their evidence derives (law 5), a slice at a time.
struct ProjectionAudit {
  private let database: Database
  private let tables: DerivedTables

  /// - Parameters:
  ///   - database: a connection that is used for nothing else: its projections are empty, so that the views derive
  ///     everything.
  ///   - isPrepared: whether another audit had the connection before.
  init(_ database: Database, isPrepared: Bool = false) throws {
    self.database = database
    if isPrepared {
      tables = DerivedTables(madeOf: Self.derivations, on: database)
      return
    }
    for table in ["projection_original_transaction", "projection_transaction", "projection_renewal_info"] {
      try database.execute(sql: "CREATE TEMP TABLE \(table) AS SELECT * FROM main.\(table) WHERE 0")
    }
    var laid = try AskingConnection.prepare(database, .lines)
    // The ids of a slice, too, and not of the whole file.
    try database.execute(sql: "CREATE TEMP VIEW int_scope_all AS SELECT * FROM temp.param_scope")
    laid.insert("int_scope_all")
    tables = try DerivedTables(Self.derivations, on: database, laid: &laid)
    try Schema.lay(["stg_payload"], on: database, laid: &laid)
  }

  /// Derived once, each after those that it reads.
  private static let derivations = [
    "int_transaction_version_interval", "int_known_renewal_info_version", "int_last_evidence_derived", "rule_input",
    "int_projected_identifier",
  ]

  /// What a slice has.
  struct Result: Sendable {
    var findings = FindingList()
    /// How many subscriptions there are.
    var count = 0
    /// How many ids lead to them.
    var identifierCount = 0
  }

  func check(_ slice: SubscriptionSlice) throws -> Result {
    var result = Result()
    try derive(slice)
    for check in Self.checks {
      for (left, right, words) in [
        (check.kept + " WHERE " + SubscriptionSlice.condition, check.derived, "keeps what is not derived"),
        (check.derived, check.kept + " WHERE " + SubscriptionSlice.condition, "lacks what is derived"),
      ] {
        let sql = "SELECT original_transaction_key FROM (\(left) EXCEPT \(right)) LIMIT 100"
        for key in try Int64.fetchAll(database.cachedStatement(sql: sql), arguments: slice.arguments) {
          result.findings.note(
            .projection, check.table, "\(words), of original_transaction_key \(key)", of: "\(check.table) \(words)")
        }
      }
    }
    let missing = try Int64.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT d.original_transaction_key FROM temp.int_projected_identifier d WHERE NOT EXISTS (
            SELECT 1 FROM main.original_transaction_identifier i WHERE i.identifier = d.identifier AND i.kind = d.kind
              AND i.original_transaction_key = d.original_transaction_key
          )
          """))
    for key in missing {
      result.findings.note(
        .projection, Self.identifiers, "lacks what is derived, of original_transaction_key \(key)",
        of: Self.identifiers)
    }
    result.count = try count("temp.param_scope")
    result.identifierCount = try count("temp.int_projected_identifier") - missing.count
    return result
  }

  private func derive(_ slice: SubscriptionSlice) throws {
    try slice.ask(database)
    try tables.derive()
  }

  /// The ids that are kept and not derived, where there are more than those that are.
  /// - Parameter count: how many are derived, and kept.
  func identifiersNotDerived(besides count: Int, in slices: [SubscriptionSlice]) throws -> FindingList {
    var findings = FindingList()
    guard try self.count("main.original_transaction_identifier") > count else { return findings }
    // By their subscriptions, which the table itself has no index of.
    try database.execute(
      sql: """
        CREATE TEMP TABLE kept_identifier AS
        SELECT original_transaction_key, identifier, kind FROM main.original_transaction_identifier;
        CREATE INDEX temp.kept_identifier_of_original ON kept_identifier (original_transaction_key);
        """)
    for slice in slices {
      try derive(slice)
      let keys = try Int64.fetchAll(
        database,
        sql: """
          SELECT original_transaction_key FROM (
            SELECT original_transaction_key, identifier, kind FROM temp.kept_identifier WHERE \(SubscriptionSlice.condition)
            EXCEPT SELECT original_transaction_key, identifier, kind FROM temp.int_projected_identifier
          )
          """, arguments: slice.arguments)
      for key in keys {
        findings.note(
          .projection, Self.identifiers, "keeps what is not derived, of original_transaction_key \(key)",
          of: Self.identifiers)
      }
    }
    try database.execute(sql: "DROP TABLE temp.kept_identifier")
    return findings
  }

  private static let identifiers = "original_transaction_identifier"

  private func count(_ relation: String) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(relation)") ?? 0
  }

  private static let checks: [(table: String, kept: String, derived: String)] = [
    (
      "projection_transaction", "SELECT * FROM main.projection_transaction",
      """
      SELECT original_transaction_key, transaction_key, known_from, known_until, version_id, evidence_at, source_rank,
        purchase_at, expires_at, revoked_at, is_upgraded FROM temp.int_transaction_version_interval
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
