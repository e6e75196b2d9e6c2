import AppStore
import Charts
import Ledger

/// The figures that matter most, as a table or as a page of charts.
package struct ReportOverview {
  /// The metrics of the overview, in order. A page has a section for each.
  package static let metrics = [
    "active_subscriptions", "active_movement", "mrr", "revenue", "churn_rate", "active_trials", "trial_conversion",
    "retention", "refund_rate", "in_grace", "grace_recovery", "recovery_days",
  ].compactMap(Metric.named)

  /// One report for each of ``metrics``, with its charts and the one of their parts that is shown.
  private let pieces: [(report: Report, charts: ReportChart, part: ReportChart.Part, isOnlyPart: Bool)]

  /// Creates an overview, with the charts of every report.
  /// - Parameters:
  ///   - reports: one report for each of ``metrics``.
  ///   - currencies: the currencies of payments, the most frequent first.
  ///   - note: returns the text of a note.
  package init(
    _ reports: [Report], currencies: [String], note: @escaping (ReportNote) -> String = \.text
  ) {
    pieces = reports.map { report in
      let charts = ReportChart(report, note: note)
      let parts = charts.parts
      return (report, charts, Self.part(of: report, parts, currencies), parts.count == 1)
    }
  }

  /// Converts the money of reports into one currency, where rates are known.
  /// - Throws: `LedgerError` when the file cannot be read.
  package static func convert(_ reports: inout [Report], _ ledger: LedgerReader) throws {
    guard let first = reports.first else { return }
    let rates = try ledger.exchangeRateCurrencies(first.request.parameters)
    guard let currency = currency(of: reports, rates: rates) else { return }
    let indices = reports.indices.filter { reports[$0].request.metric.unit == .money }
    let requests = indices.map { index in
      var request = reports[index].request
      request.currency = currency
      return request
    }
    for (index, report) in zip(indices, try ledger.report(requests)) { reports[index] = report }
  }

  /// Returns the currency into which the overview converts money: the one for which the most rates from the others are
  /// known; `nil` if all money has one currency, or no rate is known.
  private static func currency(of reports: [Report], rates: [(currency: String, into: String)]) -> String? {
    let found = Set(reports.filter { $0.request.metric.unit == .money }.flatMap(\.figures).compactMap(\.currency))
    guard found.count > 1 else { return nil }
    let known = found.sorted().map { into in
      (into, Set(rates.filter { $0.into == into && found.contains($0.currency) }.map(\.currency)).count)
    }
    return known.max { $0.1 < $1.1 }.flatMap { $0.1 > 0 ? $0.0 : nil }
  }

  /// The part of a report that the overview shows: of several currencies, the one into which money is converted, else the
  /// first of the given ones; of several groups of cohorts, the largest.
  private static func part(
    of report: Report, _ parts: [ReportChart.Part], _ currencies: [String]
  ) -> ReportChart.Part {
    let wanted = (report.request.currency.map { [$0] } ?? []) + currencies
    return wanted.lazy.map { .currency($0) }.first(where: parts.contains) ?? parts[0]
  }

  /// The sections of the page: one for each metric.
  package var sections: [ChartPage.Section] {
    pieces.map { piece in
      var section = piece.charts.section(piece.part)
      if piece.report.request.metric.hasCohorts, !piece.isOnlyPart {
        section.chart.notes.append("The largest group is drawn. The report of retention shows the others.")
      }
      return section
    }
  }

  // MARK: - Table

  /// How many of the last periods the table has.
  private static let mostPeriods = 4

  private var periods: Range<Int> {
    let begun = pieces.first?.report.begunCount ?? 0
    return max(0, begun - Self.mostPeriods)..<begun
  }

  /// The columns of the table: the figure, and the last periods.
  package var columns: [String] {
    guard let report = pieces.first?.report else { return [] }
    return ["figure"]
      + periods.map { report.request.periods.label($0) + (report.isComplete($0) ? "" : " (so far)") }
  }

  /// The rows of the table, without cohorts.
  package var rows: [[Value]] {
    pieces.filter { $0.report.request.metric.kind != .cohort }.map { report, _, part, _ in
      let series = ReportSeries.all(report).first { part == .everything || part == .currency($0.currency) }
      let title = report.request.metric.title + (part.name.map { ", \($0)" } ?? "")
      return [.text(title)] + periods.map { Self.cell(series?.values[$0], report.request.metric) }
    }
  }

  private static func cell(_ figure: ReportFigure?, _ metric: Metric) -> Value {
    guard let figure else { return .null }
    switch metric.unit {
    case .count: return .integer(figure.amount)
    case .money: return .text(Currency.rounded(Milliunits(figure.amount), of: figure.currency))
    case .share: return figure.share.map { .text(ReportRows.percent($0)) } ?? .null
    }
  }

  /// The notes of all reports, each once.
  package var notes: [ReportNote] {
    pieces.flatMap(\.report.notes).reduce(into: []) { all, note in
      if !all.contains(note) { all.append(note) }
    }
  }
}
