import AppStore
import Charts
import Ledger
import LedgerPresentation

/// A reconciliation as a page: for each agreement a drawing of both sides, and a table of the differences.
package struct ReconciliationPage {
  private let result: Reconciliation
  /// The longest period that is drawn by day. Longer ones are drawn by month.
  private static let mostDays = 92

  /// Creates a page of a reconciliation.
  /// - Parameter result: a reconciliation that is split by day.
  package init(_ result: Reconciliation) { self.result = result }

  /// Returns the page.
  package var page: ChartPage {
    let present = DifferenceClass.allCases.filter { one in result.rows.contains { $0.differences[one] ?? 0 != 0 } }
    let request = result.request
    return ChartPage(
      title: "Reconciliation with App Store Connect",
      subtitle: "Pacific days from \(request.firstDay.date) to \(request.lastDay.date), as known at "
        + "\(Messages.instant(request.parameters.knownAt)).",
      sections: Agreement.allCases.compactMap(section),
      notes: [Messages.summary(of: result)]
        + present.map { "\(Messages.name(of: $0)): \(Messages.cause(of: $0)): \(Messages.advice(for: $0))." })
  }

  private func section(_ agreement: Agreement) -> ChartPage.Section? {
    let rows = result.rows.filter { $0.agreement == agreement }
    guard !rows.isEmpty else { return nil }
    let labels = Set(rows.compactMap { $0.day.map { label($0, agreement) } }).sorted()
    let sides: [(name: String, units: KeyPath<ReconciliationRow, Int64>)] =
      [("Apple", \.apple), (agreement == .proceeds ? "By the terms" : "Ledger", \.ledger)]
    let chart = Chart(
      title: Messages.name(of: agreement).prefix(1).uppercased() + Messages.name(of: agreement).dropFirst(),
      subtitle: Messages.definition(of: agreement), kind: .line,
      unit: .count([.states, .analyticsStates].contains(agreement) ? "subscriptions" : "units"),
      periods: labels.map { Chart.Period($0) },
      series: sides.map { side in
        let values = sums(rows, agreement, side.units)
        return Chart.Series(side.name, labels.map { Double(values[$0] ?? 0) })
      })
    return ChartPage.Section(chart: chart, columns: columns, rows: tableRows(rows))
  }

  /// The period of a day. Snapshots are drawn for the last day of a period, because they do not add up.
  private func label(_ day: Instant, _ agreement: Agreement) -> String {
    isByMonth && agreement != .finance ? String(day.date.prefix(7)) : day.date
  }

  private var isByMonth: Bool {
    (result.request.lastDay.milliseconds - result.request.firstDay.milliseconds) / 86_400_000 >= Self.mostDays
  }

  private func sums(
    _ rows: [ReconciliationRow], _ agreement: Agreement, _ units: KeyPath<ReconciliationRow, Int64>
  ) -> [String: Int64] {
    var lastDays: [String: Instant] = [:]
    if [.states, .analyticsStates].contains(agreement) {
      for day in rows.compactMap(\.day) {
        lastDays[label(day, agreement)] = max(day, lastDays[label(day, agreement)] ?? day)
      }
    }
    return rows.reduce(into: [:]) { sums, row in
      guard let day = row.day, lastDays[label(day, agreement)].map({ $0 == day }) ?? true else { return }
      sums[label(day, agreement), default: 0] += row[keyPath: units]
    }
  }

  // MARK: Tables

  private var columns: [String] {
    ["measure", "apple", "ledger", "agreed"] + DifferenceClass.allCases.map(\.shortName)
  }

  /// The rows of all days together, one for each measure.
  private func tableRows(_ rows: [ReconciliationRow]) -> [[String]] {
    Set(rows.map { $0.measure ?? "" }).sorted().map { measure in
      let all = rows.filter { ($0.measure ?? "") == measure }
      let figures = [
        all.reduce(0) { $0 + $1.apple }, all.reduce(0) { $0 + $1.ledger }, all.reduce(0) { $0 + $1.agreed },
      ]
      let classes = DifferenceClass.allCases.map { one in all.reduce(0) { $0 + ($1.differences[one] ?? 0) } }
      return [measure.isEmpty ? "all" : measure] + (figures + classes).map(String.init)
    }
  }
}
