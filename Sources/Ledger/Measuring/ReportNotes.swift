internal import AppStore
internal import GRDB

/// What a report's figures leave out or rest upon: never silently partial.
struct ReportNotes {
  let database: Database
  let report: Report
  /// The figures of another metric for the same request, not broken down.
  let total: (_ metric: String, _ dimension: Metric.Dimension) throws -> [ReportFigure]

  private func total(_ metric: String) throws -> [ReportFigure] { try total(metric, .none) }

  private var request: ReportRequest { report.request }
  private var metric: Metric { request.metric }

  func all() throws -> [String] {
    if let empty = try emptiness() { return [empty] }
    var notes = try prices()
    notes += currencies()
    notes += try catalogue()
    notes += try silence()
    return notes
  }

  private func count(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
    try Int.fetchOne(database, sql: sql, arguments: arguments) ?? 0
  }

  /// Nothing to count: and where there is something instead.
  private func emptiness() throws -> String? {
    let name = request.environment.name
    if try count("SELECT EXISTS (SELECT 1 FROM main.original_transaction WHERE environment = ?)", [name]) == 1 {
      return nil
    }
    let others = try Row.fetchAll(
      database,
      sql: "SELECT environment, COUNT(*) FROM main.original_transaction GROUP BY environment ORDER BY environment")
    if others.isEmpty { return "The ledger holds no purchases yet: import something." }
    let words = others.map { "\($0[1] as Int) in \($0[0] as String)" }.joined(separator: ", ")
    return "Nothing was bought in \(name). There are lines elsewhere: \(words); name one with --environment."
  }

  /// What has no price is in no figure of money.
  private func prices() throws -> [String] {
    guard metric.unit == .money || metric.name == "refund_rate_by_amount" else { return [] }
    if metric.kind == .balance {
      guard let last = try total("active_unpriced").max(by: { $0.period < $1.period }), last.amount > 0 else {
        return []
      }
      let active = try total("active_subscriptions").first { $0.period == last.period }?.amount ?? last.amount
      return [
        "Left out: \(last.amount) of \(active) active subscriptions at the end of the last period have no known price "
          + "(receipts name none; import notifications or transaction history of theirs)."
      ]
    }
    let unpriced = try total("transactions_unpriced").reduce(0) { $0 + $1.amount }
    guard unpriced > 0 else { return [] }
    let paid = try total("transactions_paid").reduce(0) { $0 + $1.amount }
    return [
      "Left out: \(unpriced) of \(paid) payments have no known price (receipts name none; import notifications or "
        + "transaction history of theirs)."
    ]
  }

  /// What ended without a word of Apple's may have been renewed.
  private func silence() throws -> [String] {
    let states = ["active_subscriptions", "active_movement", "churned", "churn_rate", "mrr", "arr"]
    guard states.contains(metric.name) || metric.name.hasPrefix("retention") else { return [] }
    let count = try total("churned", .reason).filter { $0.group == "unconfirmed" }.reduce(0) { $0 + $1.amount }
    guard count > 0 else { return [] }
    return [
      "\(count) subscriptions ended in these periods without a word of Apple's since: they may have been renewed, and the "
        + "ledger not told (churned --by reason: unconfirmed)."
    ]
  }

  /// Sums of different currencies are never made one by themselves.
  private func currencies() -> [String] {
    guard metric.unit == .money else { return [] }
    let found = Set(report.figures.map { $0.currency ?? "no currency" }).sorted()
    guard let wanted = request.currency else {
      return found.count > 1
        ? ["Each of \(found.count) currencies by itself: nothing is converted (--in, after subledger rates import)."]
        : []
    }
    let left = found.filter { $0 != wanted }
    if left == found, !found.isEmpty {
      return [
        "Nothing is converted: no rate into \(wanted) is known for \(left.joined(separator: ", ")) (subledger rates import)."
      ]
    }
    let rest =
      left.isEmpty
      ? []
      : ["Not converted, for want of a rate into \(wanted): \(left.joined(separator: ", ")) (subledger rates import)."]
    return [
      "Converted into \(wanted) by the rates that you imported: a payment at its day's, a balance at the period's end."
    ]
      + rest
  }

  /// What the catalogue does not say is taken from the periods themselves.
  private func catalogue() throws -> [String] {
    let isAboutLength = ["mrr", "arr"].contains(metric.name) || request.dimension == .duration
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
    let names = unknown.prefix(3).joined(separator: ", ") + (unknown.count > 3 ? " and more" : "")
    return [
      "No catalogue says how long a period is of \(names): taken from the periods themselves (subledger products import)."
    ]
  }
}
