import AppStore
import Charts
import Ledger

/// A report as charts: one for all its series, or one per currency, because amounts of two currencies have no sum.
struct ReportChart {
  let report: Report
  private var metric: Metric { report.request.metric }

  init(_ report: Report) { self.report = report }

  /// The currencies of the report's figures; a single `nil` for a metric that is not money.
  var currencies: [String?] {
    var found: [String?] = []
    for figure in report.figures where !found.contains(figure.currency) { found.append(figure.currency) }
    return metric.unit == .money ? found : [nil]
  }

  /// Returns the chart of one currency; `nil` names the chart of a metric that is not money.
  func chart(_ currency: String?) -> Chart {
    if metric.name.hasPrefix("retention") { return retention }
    if metric.kind == .cohort { return steps }
    let series = ReportSeries.all(report).filter { metric.unit != .money || $0.currency == currency }
    let isParted = report.request.dimension != .none
    let kind: Chart.Kind =
      metric.kind == .share ? .line : isParted ? .stacked : metric.kind == .flow ? .bar : .line
    return Chart(
      title: metric.title + (currency.map { ", \($0)" } ?? ""), subtitle: metric.definition, kind: kind,
      unit: unit(currency), periods: periods,
      series: series.map { one in
        Chart.Series(isParted ? one.group : metric.title, one.values.map { $0.value(metric) })
      }, notes: report.notes.map(\.words))
  }

  private var periods: [Chart.Period] {
    (0..<report.begunCount).map {
      Chart.Period(report.request.periods.label($0), isComplete: report.isComplete($0))
    }
  }

  private func unit(_ currency: String?) -> Chart.Unit {
    switch metric.unit {
    case .count: .number("")
    case .money: .money(currency: currency ?? "no currency")
    case .share: .percent
    }
  }

  /// The chart of retention: the share of each cohort that remains, payment by payment.
  ///
  /// A figure is complete when the whole cohort had time for the payment.
  private var retention: Chart {
    let rows = ReportRows(report)
    let last = report.figures.compactMap(\.step).max() ?? 0
    var series: [Chart.Series] = []
    for period in 0..<report.begunCount {
      let mine = report.figures.filter { $0.period == period }
      guard let first = mine.first(where: { $0.step == 0 }), first.amount > 0 else { continue }
      var values: [Double?] = []
      var incomplete: Set<Int> = []
      for step in 0...last {
        let figure = mine.first { $0.step == step }
        if let figure, step == 0 || (figure.of ?? 0) > 0 || figure.amount > 0 {
          values.append(rows.share(figure))
          if !report.isEveryPaymentDue(figure) { incomplete.insert(Int(step)) }
        } else {
          values.append(nil)
        }
      }
      series.append(
        Chart.Series(
          report.request.periods.label(period), values, size: Int(first.amount), incomplete: incomplete))
    }
    return Chart(
      title: metric.title, subtitle: metric.definition, kind: .retention, unit: .percent,
      periods: (0...last).map { Chart.Period(String($0)) }, axis: "payment number", series: series,
      notes: report.notes.map(\.words))
  }

  /// The chart of a cohort metric: how often each number of days occurs.
  private var steps: Chart {
    var counts: [Int64: Double] = [:]
    for figure in report.figures { counts[figure.step ?? 0, default: 0] += Double(figure.amount) }
    let last = counts.keys.max() ?? 0
    return Chart(
      title: metric.title, subtitle: metric.definition, kind: .bar, unit: .number("payments"),
      periods: counts.isEmpty ? [] : (0...last).map { Chart.Period(String($0)) }, axis: "days",
      series: [Chart.Series(metric.title, counts.isEmpty ? [] : (0...last).map { counts[$0] ?? 0 })],
      notes: report.notes.map(\.words))
  }

  /// The sections of a page, each a chart with its table.
  var sections: [ChartPage.Section] {
    let rows = ReportRows(report)
    let place = rows.columns.firstIndex(of: "currency")
    return currencies.map { currency in
      let mine = rows.rows.filter { row in
        guard let place, metric.unit == .money else { return true }
        return row[place] == currency.map(Value.text) ?? .null
      }
      return ChartPage.Section(
        chart: chart(currency), columns: rows.columns, rows: mine.map { $0.map(RowPrinter.cell) })
    }
  }
}
