import AppStore
import Ledger

/// One group and currency of a report, with a value for each period, also where the value is zero.
package struct ReportSeries {
  package let groups: [String]
  package let currency: String?
  /// The figures by period, from 0. A share of nothing has the value `nil`.
  package let values: [ReportFigure]

  /// Returns the series of a report, by group and currency, without those that are always zero.
  package static func all(_ report: Report) -> [ReportSeries] {
    // The keys are bytes, so that two groups which Unicode considers equal stay two.
    var keys: [[UInt8]] = []
    var found: [[UInt8]: [Int: ReportFigure]] = [:]
    for figure in report.figures where figure.period < report.begunCount {
      let key = (figure.groups + [figure.currency ?? ""]).reduce(into: [UInt8]()) { $0 += Array($1.utf8) + [0] }
      if found[key] == nil { keys.append(key) }
      found[key, default: [:]][figure.period] = figure
    }
    let stated = keys.filter { key in found[key]?.values.contains { $0.amount != 0 || $0.of ?? 0 != 0 } ?? false }
    return (stated.isEmpty ? Array(keys.prefix(1)) : stated).map { key in
      let one = found[key]?.values.first
      let (groups, currency) = (one?.groups ?? [], one?.currency)
      let values = (0..<report.begunCount).map { period in
        found[key]?[period]
          ?? ReportFigure(
            period: period, groups: groups, currency: currency, step: nil, amount: 0,
            of: report.request.metric.kind == .share ? 0 : nil)
      }
      return ReportSeries(groups: groups, currency: currency, values: values)
    }
  }
}

extension ReportFigure {
  /// Returns the value for a chart: a number, an amount in units of the currency, or a share from 0 to 1.
  func value(_ metric: Metric) -> Double? {
    switch metric.unit {
    case .count: Double(amount)
    case .money: Double(amount) / 1000
    case .share: share
    }
  }
}
