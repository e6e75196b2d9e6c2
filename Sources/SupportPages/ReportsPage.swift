package import AppStore
internal import Charts
package import Ledger
internal import LedgerPresentation
internal import ReportPresentation

/// Which report a page shows, as its address has it.
package struct ReportSelection: Sendable {
  /// The metric; `nil` for the overview.
  package var metric: Metric?
  package var length: ReportPeriods.Length
  package var periods: ReportPeriods
  package var dimensions: [Metric.Dimension]
  package var environment: AppStore.Environment
  /// The currency into which money is converted; `nil` for none.
  package var currency: String?
  /// What the address states beside these: the instants of knowledge.
  package var instants: [(name: String, value: String)]

  package init(
    metric: Metric?, length: ReportPeriods.Length, periods: ReportPeriods, dimensions: [Metric.Dimension],
    environment: AppStore.Environment, currency: String?, instants: [(name: String, value: String)]
  ) {
    (self.metric, self.length, self.periods, self.dimensions) = (metric, length, periods, dimensions)
    (self.environment, self.currency, self.instants) = (environment, currency, instants)
  }

  /// The fields of the address that states all of it.
  package var query: [(name: String, value: String)] {
    let bounds = periods.bounds
    return [
      ("every", length.rawValue), ("from", bounds[0].date), ("to", bounds[bounds.count - 1].date),
    ] + (dimensions.isEmpty ? [] : [("group_by", dimensions.map(\.rawValue).joined(separator: ","))])
      + (environment == .production ? [] : [("environment", environment.name)])
      + (currency.map { [("currency", $0)] } ?? []) + instants
  }

  /// Returns the query with other fields.
  func query(_ changes: [(name: String, value: String)]) -> [(name: String, value: String)] {
    query.filter { field in !changes.contains { $0.name == field.name } } + changes.filter { !$0.value.isEmpty }
  }
}

/// The page of reports: the overview, or one metric.
package struct ReportsPage {
  let title: String
  let subtitle: String
  let overview: String?
  let ranges: [PageDocument.Tab]
  let environments: [PageDocument.Tab]
  let dimensions: [PageDocument.Tab]
  let metrics: [PageDocument.Tab]
  let csv: String?
  let path: String
  let lengths: [FormChoice]
  let from: String
  let to: String
  let currency: String
  /// The charts as markup, in which every text is escaped.
  let charts: String

  /// Creates a page of reports.
  /// - Parameters:
  ///   - selection: what the address states.
  ///   - reports: a report for each metric.
  ///   - currencies: the currencies of payments, the most frequent first.
  ///   - now: the present instant, from which the ranges are counted.
  package init(_ selection: ReportSelection, _ reports: [Report], currencies: [String], now: Instant) {
    let metric = selection.metric
    func address(_ changes: [(name: String, value: String)]) -> String {
      let query = selection.query(changes)
      return metric.map { PageAddress.report($0.name, query) } ?? PageAddress.reports(query)
    }
    title = metric?.title ?? "Reports"
    subtitle = reports.first?.subtitle ?? ""
    overview = metric == nil ? nil : PageAddress.reports(selection.query([("group_by", "")]))
    ranges = Self.ranges.map { range in
      let from = Instant(milliseconds: now.milliseconds - range.days * 86_400_000).date
      return PageDocument.Tab(
        text: range.text,
        target: address([("every", range.length.rawValue), ("from", from), ("to", now.date)]),
        isCurrent: false)
    }
    environments = [AppStore.Environment.production, .sandbox].map { environment in
      let name = environment == .production ? "" : environment.name
      return PageDocument.Tab(
        text: environment.name, target: address([("environment", name)]),
        isCurrent: environment == selection.environment
      )
    }
    dimensions =
      metric.map { metric in
        [
          PageDocument.Tab(
            text: "nothing", target: address([("group_by", "")]), isCurrent: selection.dimensions.isEmpty)
        ]
          + Metric.Dimension.allCases.filter(metric.canBeSplit).map {
            PageDocument.Tab(
              text: $0.rawValue.replacing("_", with: " "), target: address([("group_by", $0.rawValue)]),
              isCurrent: selection.dimensions == [$0])
          }
      } ?? []
    let plain = selection.query([("group_by", "")])
    metrics = Metric.all.map {
      PageDocument.Tab(text: $0.title, target: PageAddress.report($0.name, plain), isCurrent: $0 == metric)
    }
    csv = metric.map { PageAddress.reportCSV($0.name, selection.query) }
    path = metric.map { PageAddress.report($0.name) } ?? PageAddress.reports()
    lengths = ReportPeriods.Length.allCases.map {
      FormChoice($0.rawValue, $0.rawValue, isChosen: $0 == selection.length)
    }
    currency = selection.currency ?? ""
    let bounds = selection.periods.bounds
    (from, to) = (bounds[0].date, bounds[bounds.count - 1].date)
    let sections =
      metric == nil
      ? ReportOverview(reports, currencies: currencies).sections : reports.flatMap { ReportChart($0).sections }
    charts = ChartPage(title: title, sections: sections).sectionsHTML()
  }

  private static let ranges: [(text: String, length: ReportPeriods.Length, days: Int64)] = [
    ("30 days", .day, 30), ("13 weeks", .week, 91), ("12 months", .month, 365), ("5 years", .year, 1826),
  ]
}
