import AppStore
import Ledger

/// A report overlaid out: one series a group and currency, one value a period, nothing missing that is known to be zero.
struct ReportSeries {
  let group: String
  let currency: String?
  /// By period, from 0; `nil` where a share is one of nothing.
  let values: [ReportFigure]

  /// The series of a report, by group and currency; of cohorts, those of each step are told by ``ReportCohort``.
  static func all(_ report: Report) -> [ReportSeries] {
    // By bytes: two groups that look alike, or that Unicode takes for one, stay two.
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

  /// What it is called where there are several.
  func name(_ request: ReportRequest) -> String {
    let isMoney = request.metric.unit == .money
    let parts = [request.dimension == .none ? nil : group, isMoney ? currency ?? "no currency" : nil].compactMap(\.self)
    return parts.isEmpty ? request.metric.title : parts.joined(separator: " · ")
  }
}

extension ReportFigure {
  /// A share, as a number from 0 to 1; `nil` of nothing.
  var share: Double? { of.flatMap { $0 == 0 ? nil : Double(amount) / Double($0) } }

  /// For a chart: numbers, currency units, or shares of one.
  func value(_ metric: Metric) -> Double? {
    switch metric.unit {
    case .count: Double(amount)
    case .money: Double(amount) / 1000
    case .share: share
    }
  }
}

/// Money as text: milliunits as a decimal number of the currency's units.
enum MoneyText {
  static func plain(_ milliunits: Int64) -> String {
    let digits = String(milliunits.magnitude)
    let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    var fraction = padded.suffix(3)
    if fraction.last == "0" { fraction = fraction.dropLast() }
    return (milliunits < 0 ? "-" : "") + padded.dropLast(3) + "." + fraction
  }
}
