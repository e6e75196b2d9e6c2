import AppStore
import Ledger
import LedgerPresentation

/// A report as rows for tables, CSV and JSON.
package struct ReportRows {
  package let report: Report
  private var metric: Metric { report.request.metric }
  private var periods: ReportPeriods { report.request.periods }

  /// Creates the rows of a report.
  package init(_ report: Report) { self.report = report }

  /// The columns of a table, which must fit a screen.
  package var columns: [String] {
    var columns = ["period"]
    columns += report.request.dimensions.map(\.rawValue)
    if isMoney { columns.append("currency") }
    if metric.kind == .cohort { columns.append(metric.name == "recovery_days" ? "days" : "payment") }
    columns.append(metric.kind == .share ? "part" : metric.name)
    if hasOf { columns += [metric.hasCohorts ? "due" : "of", "share"] }
    return columns
  }

  /// The columns of a table whose texts are amounts.
  package var numericColumns: Set<String> { [metric.kind == .share ? "part" : metric.name, "due", "of"] }

  private var hasOf: Bool { metric.kind == .share || metric.hasCohorts || metric.name == "auto_renew_off" }

  /// The rows of a table, with a value for each of ``columns``.
  package var rows: [[Value]] { figures.map(row) }

  /// Returns the row of a figure, with a value for each of ``columns``.
  package func row(_ figure: ReportFigure) -> [Value] {
    var row: [Value] = [.text(label(figure.period))]
    row += figure.groups.map(Value.text)
    if isMoney { row.append(Value(figure.currency)) }
    if metric.kind == .cohort { row.append(Value(figure.step)) }
    row.append(amount(figure.amount, figure))
    if hasOf {
      row.append(amount(figure.of ?? 0, figure))
      row.append(figure.share.map { .text(Self.percent($0) + mark(figure)) } ?? .null)
    }
    return row
  }

  /// Whether amounts are milliunits of a currency.
  private var isMoney: Bool { metric.unit == .money || metric.name == "refund_rate_by_amount" }

  private func amount(_ amount: Int64, _ figure: ReportFigure) -> Value {
    isMoney ? .text(Currency.rounded(Milliunits(amount), of: figure.currency)) : .integer(amount)
  }

  /// Returns a period's name, with a mark if the period is not over.
  private func label(_ period: Int) -> String { periods.label(period) + (report.isComplete(period) ? "" : " (so far)") }

  /// Returns a mark for a share that can still grow, because not every payment was due yet.
  private func mark(_ figure: ReportFigure) -> String {
    figure.cohort?.isEveryPaymentDue ?? true ? "" : " (so far)"
  }

  /// All figures in the order of periods, with zeros for periods without one.
  package var figures: [ReportFigure] {
    if metric.kind == .cohort { return report.figures.filter { $0.period < report.begunCount } }
    let series = ReportSeries.all(report)
    return (0..<report.begunCount).flatMap { period in series.map { $0.values[period] } }
  }

  package static func percent(_ share: Double) -> String {
    let tenths = Int64((share * 1000).rounded())
    return (tenths < 0 ? "-" : "") + "\(tenths.magnitude / 10).\(tenths.magnitude % 10) %"
  }

  // MARK: - Everything

  /// The columns of CSV and JSON. Amounts of money are in milliunits of the currency, and their columns say so.
  package var allColumns: [String] {
    ["metric", "period", "begins_at", "ends_at", "is_complete"] + report.request.dimensions.map(\.rawValue)
      + [
        "currency", "step", isMoney ? "amount_milliunits" : "amount", isMoney ? "of_milliunits" : "of", "due", "share",
      ]
  }

  /// The rows of CSV and JSON, with a value for each of ``allColumns``.
  package var allRows: [[Value]] {
    figures.map { figure in
      let period: [Value] = [
        .text(metric.name), .text(periods.label(figure.period)), .instant(periods.bounds[figure.period]),
        .instant(periods.bounds[figure.period + 1]), .flag(report.isComplete(figure)),
      ]
      let whole = figure.cohort?.size ?? figure.of
      return period + figure.groups.map(Value.text) + [
        Value(figure.currency), Value(figure.step), .integer(figure.amount),
        Value(whole), figure.cohort.map { _ in .integer(figure.of ?? 0) } ?? .null,
        figure.share.map(Value.real) ?? .null,
      ]
    }
  }

  /// The report as a JSON object: the request, the definition of the metric, the figures and the notes.
  package var json: String {
    let request = report.request
    let columns = allColumns
    let figures = allRows.map { JSONText.object(columns: columns, row: $0) }
    return JSONText.nested([
      ("metric", JSONText.string(metric.name)), ("title", JSONText.string(metric.title)),
      ("definition", JSONText.string(metric.definition)), ("difference", JSONText.string(metric.difference)),
      ("unit", JSONText.string(isMoney ? "milliunits" : metric.unit.rawValue)),
      ("environment", JSONText.string(request.environment.name)),
      ("by", JSONText.array(request.dimensions.map { JSONText.string($0.rawValue) })),
      ("as_of", JSONText.string(request.parameters.asOf.description)),
      ("known_at", JSONText.string(request.parameters.knownAt.description)),
      ("notes", JSONText.array(report.notes.map { JSONText.string($0.text) })),
      ("figures", "[\n  " + figures.joined(separator: ",\n  ") + "\n]"),
    ])
  }
}
