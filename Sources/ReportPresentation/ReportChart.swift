import AppStore
import Charts
import Ledger
import LedgerPresentation

/// A report as charts: one for all its series. Amounts of two currencies have no sum, and neither have cohorts of two
/// groups. So each of those has a chart of its own.
package struct ReportChart {
  /// What one chart shows.
  package enum Part: Equatable {
    case everything
    /// The amounts of one currency; `nil`: Apple stated none.
    case currency(String?)
    /// The cohorts of one group.
    case group([String])

    /// The name of the part; `nil` for everything.
    package var name: String? {
      switch self {
      case .everything: nil
      case .currency(let currency): currency ?? "no currency"
      case .group(let groups): groups.isEmpty ? nil : groups.joined(separator: ", ")
      }
    }
  }

  package let report: Report
  private var metric: Metric { report.request.metric }

  private let note: (ReportNote) -> String

  /// Creates the charts of a report.
  /// - Parameter note: returns the text of a note.
  package init(_ report: Report, note: @escaping (ReportNote) -> String = \.text) {
    (self.report, self.note) = (report, note)
  }

  /// How many groups of cohorts are drawn.
  private static let mostGroups = 6
  /// How many payments of a cohort are drawn.
  package static let mostSteps = 12

  /// The parts that have a chart: at least one.
  package var parts: [Part] {
    if metric.hasCohorts { return groups.isEmpty ? [.group([])] : groups.prefix(Self.mostGroups).map(Part.group) }
    guard metric.unit == .money else { return [.everything] }
    var found: [String?] = []
    for figure in report.figures where !found.contains(figure.currency) { found.append(figure.currency) }
    return found.isEmpty ? [.everything] : found.map(Part.currency)
  }

  /// The groups of cohorts, the largest first.
  private var groups: [[String]] {
    var sizes: [(groups: [String], size: Int64)] = []
    for figure in report.figures where figure.step == 0 && figure.period < report.begunCount {
      // The figures of a group follow each other.
      if let last = sizes.last, figure.hasGroups(last.groups) {
        sizes[sizes.count - 1].size += figure.amount
      } else {
        sizes.append((figure.groups, figure.amount))
      }
    }
    return sizes.enumerated().sorted { ($1.element.size, $0.offset) < ($0.element.size, $1.offset) }.map(
      \.element.groups)
  }

  /// Returns the chart of a part.
  package func chart(_ part: Part) -> Chart {
    switch part {
    case .group(let groups): return retention(groups)
    case .everything where metric.kind == .cohort: return steps
    case .everything, .currency: break
    }
    let series = ReportSeries.all(report).filter { part == .everything || part == .currency($0.currency) }
    let isParted = !report.request.dimensions.isEmpty
    let kind: Chart.Kind =
      metric.kind == .share ? .line : isParted ? .stacked : metric.kind == .flow ? .bar : .line
    return Chart(
      title: title(part), subtitle: metric.definition, kind: kind, unit: unit(part), periods: periods,
      series: series.map { one in
        Chart.Series(isParted ? one.groups.joined(separator: ", ") : metric.title, one.values.map { $0.value(metric) })
      }, notes: report.notes.map(note))
  }

  private func title(_ part: Part) -> String { metric.title + (part.name.map { ", \($0)" } ?? "") }

  private var periods: [Chart.Period] {
    (0..<report.begunCount).map {
      Chart.Period(report.request.periods.label($0), isComplete: report.isComplete($0))
    }
  }

  private func unit(_ part: Part) -> Chart.Unit {
    switch metric.unit {
    case .count: .number("")
    case .money: .money(currency: part.name ?? "", decimals: part.name.map(Currency.decimals) ?? 2)
    case .share: .percent
    }
  }

  /// The chart of retention: the share of each cohort that made every payment so far, payment by payment.
  ///
  /// A figure is complete when the whole cohort had time for the payment.
  private func retention(_ groups: [String]) -> Chart {
    let mine = report.figures.filter { figure in
      figure.period < report.begunCount && figure.hasGroups(groups) && figure.step ?? 0 <= Self.mostSteps
    }
    let last = mine.compactMap { $0.cohort?.share == nil ? nil : $0.step }.max() ?? 0
    var series: [Chart.Series] = []
    for figure in mine where figure.cohort?.size ?? 0 > 0 {
      guard let step = figure.step.map(Int.init), let cohort = figure.cohort else { continue }
      let label = report.request.periods.label(figure.period)
      if series.last?.name != label {
        series.append(Chart.Series(label, Array(repeating: nil, count: Int(last) + 1), size: Int(cohort.size)))
      }
      guard let share = cohort.share else { continue }
      series[series.count - 1].values[step] = share
      if !cohort.isEveryPaymentDue { series[series.count - 1].incomplete.insert(step) }
    }
    var notes = report.notes.map(note)
    if report.figures.contains(where: { $0.step ?? 0 > Self.mostSteps }) {
      notes.append("The first \(Self.mostSteps) payments after the first one are drawn.")
    }
    let undrawn = self.groups.count - Self.mostGroups
    if undrawn > 0 { notes.append("\(Messages.count(undrawn, "smaller group")) not drawn.") }
    return Chart(
      title: title(.group(groups)), subtitle: metric.definition, kind: .retention, unit: .percent,
      periods: (0...last).map { Chart.Period(String($0)) }, axis: "payment number", series: series, notes: notes)
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
      notes: report.notes.map(note))
  }

  /// The sections of a page, each a chart with its table.
  package var sections: [ChartPage.Section] { parts.map(section) }

  /// Returns the section of a part.
  package func section(_ part: Part) -> ChartPage.Section {
    let rows = ReportRows(report)
    let mine = rows.figures.filter { figure in
      switch part {
      case .everything: true
      case .currency(let currency): figure.currency == currency
      case .group(let groups): figure.hasGroups(groups)
      }
    }
    return ChartPage.Section(
      chart: chart(part), columns: rows.columns, rows: mine.map { rows.row($0).map(Messages.cell) })
  }
}

extension Report {
  /// The line below the heading of a page: which time, which environment, and as known when.
  package var subtitle: String {
    let (bounds, parameters) = (request.periods.bounds, request.parameters)
    let asOf = parameters.asOf == parameters.knownAt ? "" : "as of \(Messages.instant(parameters.asOf)), "
    return "\(bounds[0].date) to \(bounds[bounds.count - 1].date) (UTC), "
      + "\(request.environment.name), \(asOf)as known at \(Messages.instant(parameters.knownAt))"
  }
}
