import AppStore
import Ledger

/// One group and currency of a report, with a value for each period, also where the value is zero.
struct ReportSeries {
  let group: String
  let currency: String?
  /// The figures by period, from 0. A share of nothing has the value `nil`.
  let values: [ReportFigure]

  /// Returns the series of a report, by group and currency, without those that are always zero.
  static func all(_ report: Report) -> [ReportSeries] {
    // The keys are bytes, so that two groups which Unicode considers equal stay two.
    var keys: [[UInt8]] = []
    var found: [[UInt8]: [Int: ReportFigure]] = [:]
    for figure in report.figures where figure.period < report.begunCount {
      let key = Array(figure.group.utf8) + [0] + Array((figure.currency ?? "").utf8)
      if found[key] == nil { keys.append(key) }
      found[key, default: [:]][figure.period] = figure
    }
    let told = keys.filter { key in found[key]?.values.contains { $0.amount != 0 || $0.of ?? 0 != 0 } ?? false }
    return (told.isEmpty ? Array(keys.prefix(1)) : told).map { key in
      let one = found[key]?.values.first
      let (group, currency) = (one?.group ?? "", one?.currency)
      let values = (0..<report.begunCount).map { period in
        found[key]?[period]
          ?? ReportFigure(
            period: period, group: group, currency: currency, step: nil, amount: 0,
            of: report.request.metric.kind == .share ? 0 : nil)
      }
      return ReportSeries(group: group, currency: currency, values: values)
    }
  }

  /// Returns the name of the series in a chart with several series.
  func name(_ request: ReportRequest) -> String {
    let isMoney = request.metric.unit == .money
    let parts = [request.dimension == .none ? nil : group, isMoney ? currency ?? "no currency" : nil].compactMap(\.self)
    return parts.isEmpty ? request.metric.title : parts.joined(separator: " · ")
  }
}

extension ReportFigure {
  /// The share as a number from 0 to 1; `nil` for a share of nothing.
  var share: Double? { of.flatMap { $0 == 0 ? nil : Double(amount) / Double($0) } }

  /// Returns the value for a chart: a number, an amount in units of the currency, or a share from 0 to 1.
  func value(_ metric: Metric) -> Double? {
    switch metric.unit {
    case .count: Double(amount)
    case .money: Double(amount) / 1000
    case .share: share
    }
  }
}

/// Writes milliunits as a decimal number of the currency's units.
enum MoneyText {
  static func plain(_ milliunits: Int64) -> String {
    let digits = String(milliunits.magnitude)
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    var fraction = padded.suffix(3)
    if fraction.last == "0" { fraction = fraction.dropLast() }
    return (milliunits < 0 ? "-" : "") + padded.dropLast(3) + "." + fraction
  }
}
