internal import AppStore
internal import GRDB
internal import LedgerSchema
internal import LedgerStore

/// Finds what the figures of a report leave out or rest on. No report is incomplete without a note.
struct ReportNotes {
  let database: Database
  let report: Report
  /// Derives the figures of another metric for this request, with dimensions or without.
  let total: (_ metric: String, _ dimensions: [Metric.Dimension]) throws -> [ReportFigure]

  private func total(_ metric: String) throws -> [ReportFigure] { try total(metric, []) }

  private var request: ReportRequest { report.request }
  private var metric: Metric { request.metric }

  func all() throws -> [ReportNote] {
    // Reports of App Store Connect can be there without purchases.
    if metric.name != "proceeds", let empty = try emptiness() { return [empty] }
    var notes = try prices()
    notes += try currencies()
    notes += try catalogue()
    notes += try silence()
    notes += try proceeds()
    let lastEnd = request.periods.bounds[report.begunCount]
    if let end = report.evidenceEndsAt, lastEnd > end {
      notes.append(.evidenceEnds(end))
    }
    return try notes + hindsight()
  }

  /// A report about the past counts what is known now. Somebody may have meant what was known then.
  private func hindsight() throws -> [ReportNote] {
    let parameters = request.parameters
    guard parameters.knownAt > parameters.asOf else { return [] }
    let isKnownLater = try count(
      """
      SELECT EXISTS (
        SELECT 1 FROM main.projection_original_transaction l
        JOIN main.original_transaction o ON o.original_transaction_key = l.original_transaction_key
        WHERE l.last_recorded_at > ? AND o.environment = ?
      )
      """, [parameters.asOf.milliseconds, request.environment.name])
    return isKnownLater == 1 ? [.knownLater(parameters.asOf)] : []
  }

  private func count(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
    try Int.fetchOne(database, sql: sql, arguments: arguments) ?? 0
  }

  /// Returns a note when the environment has nothing to count. The note names the environments that have something.
  private func emptiness() throws -> ReportNote? {
    let name = request.environment.name
    if try count("SELECT EXISTS (SELECT 1 FROM main.original_transaction WHERE environment = ?)", [name]) == 1 {
      return try unknownApp()
    }
    let others = try Row.fetchAll(
      database,
      sql: "SELECT environment, COUNT(*) FROM main.original_transaction GROUP BY environment ORDER BY environment")
    if others.isEmpty { return .emptyLedger }
    return .noPurchases(in: name, others: others.map { ReportNote.Others(environment: $0[0], count: $0[1]) })
  }

  /// Returns a note when the chosen app has nothing to count.
  private func unknownApp() throws -> ReportNote? {
    guard let app = request.bundleID else { return nil }
    let apps = try String.fetchAll(
      database,
      sql: """
        SELECT DISTINCT bundle_id FROM main.projection_metric_dimensions
        WHERE environment = ? AND bundle_id IS NOT NULL ORDER BY 1
        """, arguments: [request.environment.name])
    guard !apps.isEmpty, !apps.contains(app) else { return nil }
    return .noPurchasesOfApp(app, apps: Array(apps.prefix(5)), hasMore: apps.count > 5)
  }

  /// Purchases without a price are in no amount.
  private func prices() throws -> [ReportNote] {
    guard metric.unit == .money && metric.name != "proceeds" || metric.name == "refund_rate_by_amount" else {
      return []
    }
    if metric.kind == .balance {
      guard let last = try total("active_unpriced").max(by: { $0.period < $1.period }), last.amount > 0 else {
        return []
      }
      let active = try total("active_subscriptions").first { $0.period == last.period }?.amount ?? last.amount
      return [.unpricedSubscriptions(last.amount, of: active)]
    }
    let unpriced = try total("transactions_unpriced").reduce(0) { $0 + $1.amount }
    guard unpriced > 0 else { return [] }
    let paid = try total("transactions_paid").reduce(0) { $0 + $1.amount }
    return [.unpricedPayments(unpriced, of: paid)]
  }

  /// A subscription may have renewed when no later evidence confirms its end (rules §6).
  private func silence() throws -> [ReportNote] {
    let states = ["active_subscriptions", "active_movement", "churned", "churn_rate", "mrr", "arr"]
    guard states.contains(metric.name) || metric.hasCohorts else { return [] }
    let count = try total("churned", [.reason]).filter { $0.groups == ["unconfirmed"] }.reduce(0) { $0 + $1.amount }
    guard count > 0 else { return [] }
    return [.unconfirmedEnds(count)]
  }

  /// Amounts of different currencies are added only after a conversion.
  private func currencies() throws -> [ReportNote] {
    guard metric.unit == .money else { return [] }
    let found = Set(report.figures.map { $0.currency ?? "no currency" }).sorted()
    guard let wanted = request.currency else {
      return found.count > 1 ? [.severalCurrencies(found.count)] : []
    }
    let left = found.filter { $0 != wanted }
    let hasRates =
      try count("SELECT EXISTS (SELECT 1 FROM temp.exchange_rate WHERE into_currency = ?)", [wanted]) == 1
    if !left.isEmpty, !hasRates, let later = try firstRate(into: wanted) {
      return [.ratesKnownLater(into: wanted, at: later)]
    }
    if left == found, !found.isEmpty { return [.nothingConverted(into: wanted, from: left)] }
    return (hasRates && !found.isEmpty ? [.converted(into: wanted)] : [])
      + (left.isEmpty ? [] : [.notConverted(into: wanted, from: left)])
  }

  /// Returns when the first rate into a currency was imported. A report obeys `knownAt` in its rates too.
  private func firstRate(into currency: String) throws -> Instant? {
    try Int64.fetchOne(
      database, sql: "SELECT MIN(entered_at) FROM main.exchange_rate_entry WHERE into_currency = ?",
      arguments: [currency]
    ).map(Instant.init(milliseconds:))
  }

  /// An estimate names the rates that it rests on, and Apple's own figures the days that they cover.
  private func proceeds() throws -> [ReportNote] {
    let (start, end) = (request.periods.bounds[0], request.periods.bounds[report.begunCount])
    switch metric.name {
    case "proceeds":
      if let app = request.bundleID { return [.proceedsOfNoApp(app)] }
      let days = try count(
        """
        SELECT COUNT(DISTINCT first_day_at) FROM temp.stg_apple_report
        WHERE type = 'sales' AND first_day_at = last_day_at AND first_day_at >= ? AND first_day_at < ?
        """, [start.milliseconds, end.milliseconds])
      let length = end.milliseconds - start.milliseconds
      return [.reportedDays(days, of: Int((length + 86_399_999) / 86_400_000))]
    case "proceeds_estimated" where !report.figures.isEmpty:
      let figures = try total("revenue_gross", [.country])
      let storefronts = Set(figures.compactMap(\.groups.first)).sorted()
      return [
        .estimated(
          from: try terms(of: storefronts, start, end), withoutTax: try storefrontsWithoutTax(storefronts, start, end))
      ]
    default: return []
    }
  }

  /// Returns the statements about tax and commission that count in some storefronts for a time.
  private func terms(of storefronts: [String], _ start: Instant, _ end: Instant) throws -> [ProceedsTerm] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT term, country, bundle_id, begins_at, rate, source FROM temp.proceeds_term
        WHERE begins_at < ? AND (ends_at IS NULL OR ends_at > ?) ORDER BY country, term, bundle_id, begins_at
        """, arguments: [end.milliseconds, start.milliseconds])
    let terms = rows.compactMap { ProceedsTerm($0) }
    return terms.filter { $0.storefront.map(storefronts.contains) ?? true }
  }

  /// Returns the storefronts for which no tax is stated at some time. Their whole price counts.
  private func storefrontsWithoutTax(_ storefronts: [String], _ start: Instant, _ end: Instant) throws -> [String] {
    let untaxed = try String.fetchAll(
      database,
      sql: """
        SELECT DISTINCT country FROM temp.int_proceeds_rate
        WHERE tax_rate IS NULL AND country <> '' AND begins_at < ? AND (ends_at IS NULL OR ends_at > ?)
        ORDER BY country
        """, arguments: [end.milliseconds, start.milliseconds])
    return untaxed.filter { storefronts.contains($0) }
  }

  /// The periods themselves give the length that the catalogue does not state.
  private func catalogue() throws -> [ReportNote] {
    let isAboutLength = ["mrr", "arr"].contains(metric.name) || request.dimensions.contains(.duration)
    guard isAboutLength, !report.figures.isEmpty else { return [] }
    let unknown = try String.fetchAll(
      database,
      sql: """
        SELECT DISTINCT s.product_id FROM main.projection_metric_dimensions s
        LEFT JOIN temp.product p ON p.product_id = s.product_id AND p.period IS NOT NULL
        WHERE s.measure = 'active_subscriptions' AND s.product_id IS NOT NULL AND p.product_id IS NULL
          AND s.environment = ? ORDER BY 1 LIMIT 4
        """, arguments: [request.environment.name])
    if unknown.isEmpty { return [] }
    return [
      .unknownPeriods(
        of: Array(unknown.prefix(3)), hasMore: unknown.count > 3,
        isGroup: request.dimensions.contains(.duration))
    ]
  }
}
