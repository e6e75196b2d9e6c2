import AppStore
import Ledger
import LedgerPresentation

/// A report as rows for tables, CSV and JSON.
struct ReportRows {
  let report: Report
  private var metric: Metric { report.request.metric }
  private var periods: ReportPeriods { report.request.periods }

  init(_ report: Report) { self.report = report }

  /// The columns of a table, which must fit a screen.
  var columns: [String] {
    var columns = ["period"]
    if report.request.dimension != .none { columns.append(report.request.dimension.rawValue) }
    if isMoney { columns.append("currency") }
    if metric.kind == .cohort { columns.append(metric.name == "recovery_days" ? "days" : "payment") }
    columns.append(metric.kind == .share ? "part" : metric.name)
    if hasOf { columns += [metric.name.hasPrefix("retention") ? "due" : "of"] }
    if metric.kind == .share || metric.name.hasPrefix("retention") { columns.append("share") }
    if metric.name == "auto_renew_off" { columns.append("share") }
    return columns
  }

  private var hasOf: Bool {
    metric.kind == .share || metric.name.hasPrefix("retention") || metric.name == "auto_renew_off"
  }

  /// The rows of a table, with a value for each of ``columns``.
  var rows: [[Value]] {
    figures.map { figure in
      var row: [Value] = [.text(label(figure.period))]
      if report.request.dimension != .none { row.append(.text(figure.group)) }
      if isMoney { row.append(figure.currency.map(Value.text) ?? .null) }
      if metric.kind == .cohort { row.append(figure.step.map(Value.integer) ?? .null) }
      row.append(amount(figure.amount))
      if hasOf {
        row.append(amount(figure.of ?? 0))
        row.append(share(figure).map { .text(Self.percent($0) + mark(figure)) } ?? .null)
      }
      return row
    }
  }

  /// Whether amounts are milliunits of a currency.
  private var isMoney: Bool { metric.unit == .money || metric.name == "refund_rate_by_amount" }

  private func amount(_ amount: Int64) -> Value { isMoney ? .text(MoneyText.plain(amount)) : .integer(amount) }

  /// Returns a period's name, with a mark if the period is not over.
  private func label(_ period: Int) -> String { periods.label(period) + (report.isComplete(period) ? "" : " (so far)") }

  /// Returns a mark for a share that can still grow, because not every payment was due yet.
  private func mark(_ figure: ReportFigure) -> String { report.isEveryPaymentDue(figure) ? "" : " (so far)" }

  /// All figures in the order of periods, with zeros for periods without one.
  var figures: [ReportFigure] {
    if metric.kind == .cohort { return report.figures.filter { $0.period < report.begunCount } }
    let series = ReportSeries.all(report)
    return (0..<report.begunCount).flatMap { period in series.map { $0.values[period] } }
  }

  /// Returns a figure's share: for retention, its share of the cohort.
  func share(_ figure: ReportFigure) -> Double? {
    guard metric.name.hasPrefix("retention") else { return figure.share }
    return of(figure).flatMap { $0 == 0 ? nil : Double(figure.amount) / Double($0) }
  }

  /// Returns the amount that a figure is a share of: for retention, the size of the cohort.
  private func of(_ figure: ReportFigure) -> Int64? {
    guard metric.name.hasPrefix("retention") else { return figure.of }
    return report.figures.first {
      $0.period == figure.period && $0.group.utf8.elementsEqual(figure.group.utf8) && $0.step == 0
    }?.amount
  }

  private static func percent(_ share: Double) -> String {
    let tenths = Int64((share * 1000).rounded())
    return (tenths < 0 ? "-" : "") + "\(tenths.magnitude / 10).\(tenths.magnitude % 10) %"
  }

  // MARK: - Everything

  /// The columns of CSV and JSON: amounts of money in milliunits of the currency.
  static let allColumns = [
    "metric", "period", "begins_at", "ends_at", "is_complete", "group", "currency", "step", "amount", "of", "due",
    "share",
  ]

  /// The rows of CSV and JSON, with a value for each of ``allColumns``.
  var allRows: [[Value]] {
    figures.map { figure in
      [
        .text(metric.name), .text(periods.label(figure.period)), .instant(periods.bounds[figure.period]),
        .instant(periods.bounds[figure.period + 1]), .flag(report.isComplete(figure)), .text(figure.group),
        figure.currency.map(Value.text) ?? .null, figure.step.map(Value.integer) ?? .null, .integer(figure.amount),
        of(figure).map(Value.integer) ?? .null, metric.name.hasPrefix("retention") ? .integer(figure.of ?? 0) : .null,
        share(figure).map(Value.real) ?? .null,
      ]
    }
  }

  /// The report as a JSON object: the request, the definition of the metric, the figures and the notes.
  var json: String {
    let request = report.request
    let figures = allRows.map { JSONText.object(Self.allColumns, $0) }
    return JSONText.nested([
      ("metric", JSONText.string(metric.name)), ("title", JSONText.string(metric.title)),
      ("definition", JSONText.string(metric.definition)), ("difference", JSONText.string(metric.difference)),
      ("unit", JSONText.string(metric.unit == .money ? "milliunits" : metric.unit.rawValue)),
      ("environment", JSONText.string(request.environment.name)),
      ("by", JSONText.string(request.dimension.rawValue)),
      ("as_of", JSONText.string(request.question.asOf.description)),
      ("known_at", JSONText.string(request.question.knownAt.description)),
      ("notes", JSONText.array(report.notes.map { JSONText.string($0.words) })),
      ("figures", "[\n  " + figures.joined(separator: ",\n  ") + "\n]"),
    ])
  }
}
