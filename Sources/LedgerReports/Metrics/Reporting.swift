package import AppStore
internal import GRDB
internal import LedgerSchema
public import LedgerStore

extension LedgerReader {
  /// Returns the figures of a metric for some periods. The stored metric deltas give them. The report derives the
  /// deltas of a subscription when its stored ones do not answer the query. That is so after new evidence, or for an
  /// earlier `knownAt`.
  /// - Parameters:
  ///   - request: the metric, the periods, and what counts.
  ///   - progress: called while deltas are derived, with how many subscriptions are done, and of how many.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func report(
    _ request: ReportRequest, progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
  ) throws -> Report {
    try report([request], progress: progress)[0]
  }

  /// Returns the reports for several requests that share one query, all from one state of the file.
  /// - Parameters:
  ///   - requests: the query of the first one counts for all.
  ///   - progress: called while deltas are derived, with how many subscriptions are done, and of how many.
  /// - Returns: one report for each request, in their order.
  /// - Throws: `LedgerError` when the file cannot be read.
  public func report(
    _ requests: [ReportRequest], progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
  ) throws -> [Report] {
    guard let parameters = requests.first?.parameters else { return [] }
    return try LedgerError.wrapping(path, isWriting: false) {
      let queue = try LedgerFile.openForReading(path: path)
      defer { try? queue.close() }
      return try queue.writeWithoutTransaction { database in
        try MetricDeltaDerivation.prepare(database)
        var reports: [Report] = []
        try database.inTransaction(.deferred) {
          let reporter = try ReportBuilder(
            database, path, parameters, metrics: Set(requests.map(\.metric.name)), progress: progress)
          // Requests of one environment have one end of the evidence.
          var ends: [String: Instant?] = [:]
          for request in requests {
            let name = request.environment.name
            let end = try ends[name] ?? reporter.evidenceEnd(in: name, parameters)
            ends[name] = end
            reports.append(try reporter.report(request, evidenceEndsAt: end))
          }
          return .rollback
        }
        return reports
      }
    }
  }
}

extension LedgerReader {
  /// Returns the currencies of the payments of an environment, the most frequent first, as far as their metrics are stored.
  /// - Throws: `LedgerError` when the file cannot be read.
  package func paymentCurrencies(in environment: AppStore.Environment) throws -> [String] {
    try lookUp { database in
      // The stored sums have few rows for each day, and as many more as there are payments.
      try database.texts(
        """
        SELECT m.currency FROM main.projection_metric_delta_sum s
        JOIN main.projection_metric_dimensions m ON m.dimensions_id = s.dimensions_id
        WHERE m.measure = 'revenue_gross' AND m.environment = ? AND m.currency IS NOT NULL
        GROUP BY m.currency ORDER BY COUNT(*) DESC, m.currency
        """, [environment.name])
    }
  }
}

/// Creates reports on a connection of its own, inside one read transaction.
private struct ReportBuilder {
  private let database: Database

  init(
    _ database: Database, _ path: String, _ parameters: QueryParameters, metrics: Set<String>,
    progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void
  ) throws {
    self.database = database
    var temporaryViews = try ReadConnection.prepare(database, .derived(parameters.basis))
    try database.execute(
      sql: """
        CREATE TEMP TABLE param_report (
          environment TEXT, bundle_id TEXT, metric TEXT, currency TEXT,
          \(Metric.Dimension.allCases.map { "by_\($0.rawValue) INTEGER NOT NULL" }.joined(separator: ", "))
        );
        CREATE TEMP TABLE param_report_day (day_at INTEGER PRIMARY KEY, period_number INTEGER NOT NULL);
        \(MetricDeltaGathering.table)
        """)
    temporaryViews.formUnion(["param_report", "param_report_day"])
    try parameters.write(to: database)
    let keys = try UpToDateMetricDeltas(checking: database)?.uncovered(parameters) ?? Self.all(database)
    try MetricDeltaGathering(path: path, parameters: parameters).gather(
      keys, into: database, temporaryViews: &temporaryViews, progress: progress)
    // The gathered rows already subtract the stored deltas of these subscriptions.
    try database.execute(sql: "DELETE FROM temp.param_subscription")
    try Schema.createTemporaryView(
      "metric_delta", as: "metric_delta_stored", on: database, temporaryViews: &temporaryViews)
    try database.execute(
      sql: """
        CREATE TEMP VIEW metric_delta AS
        SELECT * FROM temp.metric_delta_stored UNION ALL SELECT * FROM temp.metric_delta_gathered
        """)
    try Self.gatherProceeds(for: metrics, on: database, temporaryViews: &temporaryViews)
    try Schema.createTemporaryViews(["metric_figure", "product"], on: database, temporaryViews: &temporaryViews)
  }

  /// Stores what only metrics of proceeds read in temporary tables, because each sum of a day looks up rates. The tables
  /// of other metrics stay empty.
  private static func gatherProceeds(
    for metrics: Set<String>, on database: Database, temporaryViews: inout Set<String>
  ) throws {
    let readers = [("int_proceeds_rate", "proceeds_estimated"), ("metric_delta_of_proceeds", "proceeds")]
    for (relation, metric) in readers {
      try Schema.createTemporaryView(
        relation, as: "\(relation)_derived", on: database, temporaryViews: &temporaryViews)
      let limit = metrics.contains(metric) ? "" : " LIMIT 0"
      try database.execute(
        sql: "CREATE TEMP TABLE \(relation) AS SELECT * FROM temp.\(relation)_derived\(limit)")
    }
    try database.execute(
      sql: """
        CREATE INDEX temp.int_proceeds_rate_of_country ON int_proceeds_rate (known_at, bundle_id, country, begins_at)
        """)
  }

  private static func all(_ database: Database) throws -> [OriginalTransactionKey] {
    try OriginalTransactionKey.fetchAll(
      database, sql: "SELECT original_transaction_key FROM main.original_transaction ORDER BY original_transaction_key")
  }

  func report(_ request: ReportRequest, evidenceEndsAt: Instant?) throws -> Report {
    try database.execute(sql: "DELETE FROM temp.param_report_day")
    let day = try database.cachedStatement(sql: "INSERT INTO temp.param_report_day VALUES (?, ?)")
    for one in request.periods.days { try day.execute(arguments: [one.day, one.period]) }
    var report = Report(
      request: request, figures: try figures(request, request.metric.name, by: request.dimensions), notes: [])
    report.evidenceEndsAt = evidenceEndsAt
    report.notes = try ReportNotes(database: database, report: report) { try figures(request, $0, by: $1) }.all()
    return report
  }

  /// Returns the end of the evidence of an environment, if it is more than a day before the instant of the query.
  func evidenceEnd(in environment: String, _ parameters: QueryParameters) throws -> Instant? {
    let last = try Int64.fetchOne(
      database,
      sql: """
        SELECT MAX(l.evidence_at) FROM main.projection_original_transaction l
        JOIN main.original_transaction o ON o.original_transaction_key = l.original_transaction_key
        WHERE o.environment = ? AND l.last_recorded_at <= ?
        """, arguments: [environment, parameters.knownAt.milliseconds])
    return last.flatMap { $0 < parameters.asOf.milliseconds - 86_400_000 ? Instant(milliseconds: $0) : nil }
  }

  private func figures(_ request: ReportRequest, _ metric: String, by dimensions: [Metric.Dimension]) throws
    -> [ReportFigure]
  {
    try database.execute(sql: "DELETE FROM temp.param_report")
    var parameters: [String: (any DatabaseValueConvertible)?] = [
      "environment": request.environment.name, "bundle_id": request.bundleID, "metric": metric,
      "currency": request.currency,
    ]
    for dimension in Metric.Dimension.allCases {
      parameters["by_\(dimension.rawValue)"] = dimensions.contains(dimension) ? 1 : 0
    }
    let names = parameters.keys.sorted()
    try database.execute(
      sql: """
        INSERT INTO temp.param_report (\(names.joined(separator: ", ")))
        VALUES (\(names.map { ":\($0)" }.joined(separator: ", ")))
        """, arguments: StatementArguments(parameters))
    let groups = dimensions.map { $0.rawValue + ", " }.joined()
    let statement = try database.cachedStatement(
      sql: """
        SELECT period_number, currency, step, amount, of_amount, \(groups)metric FROM temp.metric_figure
        ORDER BY \(groups)currency, period_number, step
        """)
    // A report of cohorts by day has very many rows, so each name is looked up once and not for each row.
    func index(_ name: String) throws -> Int {
      guard let index = statement.index(ofColumn: name) else { throw DatabaseError(message: "no column \(name)") }
      return index
    }
    let (period, currency, step) = try (index("period_number"), index("currency"), index("step"))
    let (amount, ofAmount) = try (index("amount"), index("of_amount"))
    let groupIndexes = try dimensions.map { try index($0.rawValue) }
    let figures = try Array(
      Row.fetchCursor(statement).map { row in
        ReportFigure(
          period: Int(row[period] as Int64) - 1, groups: groupIndexes.map { row[$0] }, currency: row[currency],
          step: row[step], amount: row[amount], of: row[ofAmount])
      })
    return Metric.named(metric)?.hasCohorts ?? false ? figures.withCohorts() : figures
  }
}
