internal import AppStore
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerPresentation
internal import LedgerStore
internal import NIOCore
internal import ReportPresentation
internal import SupportPages

/// The reports for leads: subscriptions, money, trials and refunds, as charts and as CSV.
struct ReportPages: Sendable {
  let reader: ReaderThread
  let path: String
  let log: ReadLog
  let templates: PageTemplates

  var endpoints: [PageEndpoint] {
    [
      PageEndpoint(.get, "/reports", "readReports", .lead) { try await show($0, nil) },
      PageEndpoint(.get, "/reports/{metric}", "readReport", .lead) { try await show($0, try metric($0)) },
      PageEndpoint(.get, "/reports/{metric}/csv", "exportReport", .lead) { try await csv($0, try metric($0)) },
    ]
  }

  private func metric(_ call: PageCall) throws -> Metric {
    guard let metric = Metric.named(try call.parameter("metric")) else {
      throw HTTPProblem(
        code: "unknown_metric", status: .notFound, detail: "No report has this name. Choose one of the page of reports."
      )
    }
    return metric
  }

  private func show(_ call: PageCall, _ metric: Metric?) async throws -> Response {
    let (selection, parameters) = try selection(call, metric)
    let (reports, currencies) = try await reports(selection, parameters)
    try await log.write(call.entries([], count: reports.count))
    let page = ReportsPage(selection, reports, currencies: currencies, now: call.now)
    return templates.response(.reports, call, metric?.title ?? "Reports", page)
  }

  private func csv(_ call: PageCall, _ metric: Metric) async throws -> Response {
    let (selection, parameters) = try selection(call, metric)
    let (reports, _) = try await reports(selection, parameters)
    try await log.write(call.entries([], count: reports.count))
    let text = reports.map(ReportRows.init).map { rows in
      rows.allColumns.joined(separator: ",") + "\n" + rows.allRows.map(CSVCell.row).joined()
    }
    return PageResponse.file(
      "\(metric.name).csv", "text/csv; charset=utf-8", .init(byteBuffer: ByteBuffer(string: text.joined())))
  }

  /// Reads the reports, after the metrics of what is new are stored, so that the next reader need not wait for it.
  private func reports(_ selection: ReportSelection, _ parameters: QueryParameters) async throws -> (
    reports: [Report], currencies: [String]
  ) {
    let path = path
    return try await reader.withReader { ledger in
      do { try ProjectionMaintainer(path: path).deriveMetricDeltas() } catch let error as LedgerError
        where [.cannotWrite, .busy].contains(error.code)
      {
        // The reports are complete without it, and take longer.
      }
      let requests = (selection.metric.map { [$0] } ?? ReportOverview.metrics).map { metric in
        var request = ReportRequest(metric, selection.periods, parameters)
        if !selection.dimensions.isEmpty { request.dimensions = selection.dimensions }
        (request.environment, request.currency) = (selection.environment, selection.currency)
        return request
      }
      var reports = try ledger.report(requests)
      if selection.metric == nil, selection.currency == nil { try ReportOverview.convert(&reports, ledger) }
      return (reports, try ledger.paymentCurrencies(in: selection.environment))
    }
  }

  // MARK: - The address

  private func selection(_ call: PageCall, _ metric: Metric?) throws -> (ReportSelection, QueryParameters) {
    let (asOf, knownAt) = (try call.instant("as_of"), try call.instant("known_at"))
    let parameters = QueryParameters(asOf: asOf ?? knownAt ?? call.now, knownAt: knownAt ?? call.now)
    let every = call.query["every"]
    guard let length = every.isEmpty ? .month : ReportPeriods.Length(rawValue: every) else {
      throw HTTPProblem.wrongRequest("wrong_value", "every", "Write day, week, month or year.")
    }
    let end = try call.instant("to") ?? min(parameters.asOf, parameters.knownAt)
    let start = try call.instant("from") ?? Instant(milliseconds: end.milliseconds - 365 * 86_400_000)
    guard start < end, let periods = ReportPeriods(length, from: start, to: end) else {
      throw HTTPProblem.wrongRequest(
        "wrong_value", "from",
        "No report has these periods. Write a first day before the last one, and at most \(ReportPeriods.mostDays) days."
      )
    }
    let name = call.query["environment"]
    guard let environment = name.isEmpty ? .production : Environment.named(name) else {
      throw HTTPProblem.wrongRequest("wrong_value", "environment", "Write Production or Sandbox.")
    }
    let currency = call.query["currency"].trimmingSpace.uppercased()
    guard currency.isEmpty || currency.wholeMatch(of: /[A-Z]{3}/) != nil else {
      throw HTTPProblem.wrongRequest("wrong_value", "currency", "Write a currency in three letters, such as USD.")
    }
    let instants = [("as_of", call.query["as_of"]), ("known_at", call.query["known_at"])].filter { !$0.1.isEmpty }
    let selection = ReportSelection(
      metric: metric, length: length, periods: periods, dimensions: try dimensions(call, metric),
      environment: environment, currency: currency.isEmpty ? nil : currency,
      instants: instants.map { (name: $0.0, value: $0.1) })
    return (selection, parameters)
  }

  private func dimensions(_ call: PageCall, _ metric: Metric?) throws -> [Metric.Dimension] {
    guard let metric else { return [] }
    let names = call.query["group_by"].split(separator: ",").map(String.init)
    let dimensions = names.compactMap(Metric.Dimension.init)
    guard dimensions.count == names.count, Set(names).count == names.count, dimensions.allSatisfy(metric.canBeSplit)
    else {
      throw HTTPProblem.wrongRequest(
        "wrong_value", "group_by", "This report cannot be split so. Choose one of the links of its page.")
    }
    return dimensions
  }
}
