internal import AppStore
internal import GRDB
internal import LedgerReports
internal import LedgerSchema
public import LedgerStore

/// Checks the stored metric deltas (law 5) and the statuses that Apple stated (law 7). Both need the whole history of
/// subscriptions, which is derived once.
struct MetricAndStatusAudit {
  private let database: Database
  private let derivation: MetricDeltaDerivation
  /// Whether the present views derived the stored metric deltas.
  private let hasMetrics: Bool
  private let dimensions = MetricDimensions()
  private var sums = MetricDeltaSums()

  /// Prepares the derivation on a connection.
  /// - Parameter database: a connection that is used for nothing else.
  init(_ database: Database) throws {
    self.database = database
    var temporaryViews = try ReadConnection.prepare(database, .derived(.versions))
    derivation = try MetricDeltaDerivation(database, .versions, temporaryViews: &temporaryViews)
    try Schema.createTemporaryViews(["rule_disagreement"], on: database, temporaryViews: &temporaryViews)
    hasMetrics = try Schema.hasCurrentMetrics(database)
  }

  /// The result of the checks on one slice.
  struct Result: Sendable {
    var metrics = FindingList()
    var status = FindingList()
    /// How many subscriptions have stored metric deltas.
    var metricsCount = 0
    /// How many statuses Apple stated.
    var statusCount = 0
    var metricsDuration = Duration.zero
    var statusDuration = Duration.zero
  }

  mutating func check(_ slice: SubscriptionSlice, status: Bool = true, metrics: Bool = true) throws -> Result {
    var result = Result()
    try slice.write(to: database)
    let clock = ContinuousClock()
    result.statusCount = status ? try count("main.status_claim") : 0
    result.metricsCount = metrics && hasMetrics ? try count("main.projection_metric_coverage") : 0
    if result.metricsCount > 0 {
      result.metricsDuration = try clock.measure {
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
          SELECT COUNT(*) FROM temp.param_subscription a
          CROSS JOIN \(table) c WHERE c.original_transaction_key = a.original_transaction_key
          """)) ?? 0
  }

  // MARK: - Metrics

  /// Finds the subscriptions whose derived metric deltas, minus the stored ones, do not sum to zero.
  private mutating func metricFindings() throws -> FindingList {
    sums.clear()
    try derivation.derive(into: &sums, dimensions)
    try sums.add(BoundStatement(database, MetricDeltaSums.stored), dimensions, sign: -1)
    var differing = Set(sums.amounts.lazy.filter { $0.value != 0 }.map(\.key.subscription))
    if !differing.isEmpty { differing.formIntersection(try Int64.fetchSet(database, sql: Self.covered)) }
    var findings = FindingList()
    for key in differing.sorted() {
      findings.note(
        .projection, "projection_metric_delta", "stores what is not derived, for original_transaction_key \(key)",
        of: "projection_metric_delta")
    }
    return findings
  }

  private static let covered = """
    SELECT c.original_transaction_key FROM temp.param_subscription a CROSS JOIN main.projection_metric_coverage c
    WHERE c.original_transaction_key = a.original_transaction_key
    """

  /// Compares the stored sums of all metric deltas with the deltas.
  ///
  /// Each side becomes one number, so that the deltas need no sort. The number is the sum of all amounts, each
  /// multiplied by a number that depends on what it counts for. Rows are compared only when the two numbers differ.
  static func checkSums(_ database: Database) throws -> FindingList {
    var findings = FindingList()
    let numbers = try ["projection_metric_delta_sum", "(SELECT \(columns) FROM main.projection_metric_delta)"].map {
      try Int64.fetchOne(database, sql: number(of: $0)) ?? 0
    }
    guard numbers[0] != numbers[1] else { return findings }
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT dimensions_id, day_at FROM (
          SELECT \(columns) FROM main.projection_metric_delta
          UNION ALL SELECT dimensions_id, day_at, effective_day, -amount FROM main.projection_metric_delta_sum
        ) both GROUP BY dimensions_id, day_at, effective_day HAVING SUM(amount) <> 0 ORDER BY 1, 2 LIMIT 100
        """)
    for row in rows {
      findings.note(
        .projection, "projection_metric_delta_sum",
        "is not the sum of the deltas, for dimensions_id \(row[0] as Int64), day_at \(row[1] as Int64)",
        of: "projection_metric_delta_sum")
    }
    return findings
  }

  private static let columns = "dimensions_id, day_at, effective_at / 86400000 AS effective_day, amount"

  /// Returns SQL for the number of a relation, modulo a prime below 2^31. No product and no sum then exceeds 64 bits.
  /// The square prevents two errors from cancelling out.
  private static func number(of relation: String) -> String {
    """
    SELECT (SUM((amount % 2147483647) * (key_hash * key_hash % 2147483647) % 2147483647) % 2147483647 + 2147483647)
      % 2147483647 FROM (
      SELECT amount, (dimensions_id * 1000003 + day_at / 86400000 * 8191 + effective_day * 131) % 2147483647 AS key_hash
      FROM \(relation)
    )
    """
  }

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
        "at \(instant) Apple states \(claimed), the rules give \(row["state"] as String) by \(row["rule"] as String)")
    }
    return findings
  }
}

extension LedgerReader {
  /// Returns the disagreements between the derived state and Apple's status, with both sides (rules §8). The view
  /// `rule_disagreement` lists them.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func disagreements() throws -> [AuditFinding] {
    try auditing { connections in
      defer { connections.close() }
      let slices = try connections.pairs[0].stored.unsafeRead { try AuditSelection.subscriptions($0) }
      let found = try Slices.run(slices, threads: connections.pairs.count) { thread, take in
        try connections.pairs[thread].stored.unsafeRead { database in
          var audit = try MetricAndStatusAudit(database)
          while try take({ try audit.check($0, metrics: false).status }) {}
        }
      }
      var all = FindingList()
      for one in found { all.append(one) }
      return all.all
    }
  }
}
