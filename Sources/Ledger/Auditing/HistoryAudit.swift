internal import AppStore
internal import GRDB

/// Checks what needs the whole history of subscriptions, which is derived once: what is kept for metrics (law 5), and the
/// statuses that Apple stated (law 7).
struct HistoryAudit {
  private let database: Database
  private let derivation: PostingDerivation
  /// Whether metrics are kept by the present texts of the views.
  private let hasMetrics: Bool

  /// - Parameter database: a connection that is used for nothing else.
  init(_ database: Database) throws {
    self.database = database
    var laid = try AskingConnection.prepare(database, .lines)
    derivation = try PostingDerivation(database, laid: &laid)
    try Schema.lay(["rule_disagreement"], on: database, laid: &laid)
    hasMetrics = try Schema.hasPresentViews(database)
  }

  /// What a slice has.
  struct Result: Sendable {
    var metrics = FindingList()
    var status = FindingList()
    /// How many subscriptions have metrics.
    var metricsCount = 0
    /// How many statuses Apple stated.
    var statusCount = 0
    var metricsDuration = Duration.zero
    var statusDuration = Duration.zero
  }

  func check(_ slice: SubscriptionSlice, status: Bool = true, metrics: Bool = true) throws -> Result {
    var result = Result()
    try slice.ask(database)
    let clock = ContinuousClock()
    result.statusCount = status ? try count("main.status_claim") : 0
    result.metricsCount = metrics && hasMetrics ? try count("main.projection_metric_coverage") : 0
    if result.metricsCount > 0 {
      result.metricsDuration = try clock.measure {
        try database.execute(sql: "DELETE FROM temp.metric_delta_derived")
        try derivation.derive()
        result.metrics = try metricFindings()
      }
    }
    if result.statusCount > 0 {
      result.statusDuration = try clock.measure {
        if result.metricsCount == 0 { try derivation.deriveStates() }
        result.status = try statusFindings()
      }
    }
    return result
  }

  private func count(_ table: String) throws -> Int {
    try Int.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT COUNT(*) FROM temp.param_scope a
          CROSS JOIN \(table) c WHERE c.original_transaction_key = a.original_transaction_key
          """)) ?? 0
  }

  // MARK: - Metrics

  private func metricFindings() throws -> FindingList {
    var findings = FindingList()
    for key in try Int64.fetchAll(database.cachedStatement(sql: Self.differing)) {
      findings.note(
        .projection, "projection_metric_delta", "keeps what is not derived, of original_transaction_key \(key)",
        of: "projection_metric_delta")
    }
    return findings
  }

  /// The subscriptions whose metric deltas do not cancel out: those kept, and those derived, taken back.
  private static let differing = """
    SELECT DISTINCT original_transaction_key FROM (
      SELECT original_transaction_key FROM (
        SELECT p.original_transaction_key, \(PostingKeeper.segment), p.day_at, p.effective_at, p.amount
        FROM temp.param_scope a CROSS JOIN main.projection_metric_delta p
        CROSS JOIN main.projection_metric_dimensions s
        WHERE p.original_transaction_key = a.original_transaction_key AND s.dimensions_id = p.dimensions_id
        UNION ALL
        SELECT original_transaction_key, \(PostingKeeper.segment), day_at, effective_at, -amount
        FROM temp.metric_delta_derived
      ) both
      GROUP BY original_transaction_key, \(PostingKeeper.segment), day_at, effective_at HAVING SUM(amount) <> 0
    ) WHERE original_transaction_key IN (SELECT original_transaction_key FROM main.projection_metric_coverage)
    LIMIT 100
    """

  // MARK: - Apple's status

  private func statusFindings() throws -> FindingList {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT DISTINCT environment, original_transaction_id, compared_at, state, rule, status
          FROM temp.rule_disagreement
          ORDER BY environment, original_transaction_id, compared_at, status
          """))
    var findings = FindingList()
    for row in rows {
      let instant = Instant(milliseconds: row["compared_at"])
      let states = ["1": "active", "2": "expired", "3": "billing_retry", "4": "grace_period", "5": "revoked"]
      let status: Int64 = row["status"]
      let claimed = states[String(status)].map { "\(status) (\($0))" } ?? String(status)
      findings.note(
        .disagreement, "\(row["environment"] as String) \(row["original_transaction_id"] as String)",
        "at \(instant) Apple says \(claimed), the rules say \(row["state"] as String) by \(row["rule"] as String)")
    }
    return findings
  }
}

extension Ledger {
  /// Where the derived state differs from Apple's status, with both sides (rules §8): the view `rule_disagreement`.
  /// - Throws: ``LedgerError``.
  public func disagreements() throws -> [AuditFinding] {
    try auditing { connections in
      defer { connections.close() }
      let slices = try connections.pairs[0].kept.unsafeRead { try AuditSelection.subscriptions($0) }
      let found = try Slices.run(slices, threads: connections.pairs.count) { thread, take in
        try connections.pairs[thread].kept.unsafeRead { database in
          let audit = try HistoryAudit(database)
          while try take({ try audit.check($0, metrics: false).status }) {}
        }
      }
      var all = FindingList()
      for one in found { all.append(one) }
      return all.all
    }
  }
}
