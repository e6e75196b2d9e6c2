public import AppStore
internal import LedgerSchema
public import LedgerStore

/// What a report shows: one metric, its periods, and what counts.
public struct ReportRequest: Sendable {
  /// The metric to report.
  public var metric: Metric
  /// The periods of the report.
  public var periods: ReportPeriods
  /// The two instants. What began after `Question/asOf` or was recorded after `Question/knownAt` does not count.
  public var question: Question
  /// The dimension by which figures are grouped.
  public var dimension = Metric.Dimension.none
  /// The environment whose purchases count.
  public var environment = Environment.production
  /// The bundle id of the only app that counts; `nil` for all apps.
  public var bundleID: String?
  /// The currency to convert money into, by the imported rates, as an ISO 4217 code; `nil` for no conversion.
  public var currency: String?

  /// Creates a request for figures of Production, without groups.
  public init(_ metric: Metric, _ periods: ReportPeriods, _ question: Question) {
    (self.metric, self.periods, self.question) = (metric, periods, question)
  }
}

/// One figure of a report.
public struct ReportFigure: Sendable, Equatable {
  /// The number of its period, from 0.
  public var period: Int
  /// The name of its group; `all` without a dimension.
  public var group: String
  /// The currency of an amount, as an ISO 4217 code; `nil` for numbers, and when Apple stated none.
  public var currency: String?
  /// For cohorts: the number of the payment, or of days; else `nil`.
  public var step: Int64?
  /// The value: a number, or milliunits of the currency.
  public var amount: Int64
  /// For a share: the whole. For retention: how many payments were due by now. Else `nil`.
  public var of: Int64?

  /// Creates a figure of a report.
  public init(period: Int, group: String, currency: String?, step: Int64?, amount: Int64, of: Int64?) {
    (self.period, self.group, self.currency) = (period, group, currency)
    (self.step, self.amount, self.of) = (step, amount, of)
  }
}

/// The figures of a metric, and notes on what they leave out.
public struct Report: Sendable {
  /// The request that the report answers.
  public var request: ReportRequest
  /// The figures, ordered by group, currency, period and step. A flow without a figure did not happen.
  public var figures: [ReportFigure]
  /// What the figures leave out or rest on, such as payments without a price or several currencies.
  public var notes: [ReportNote]

  /// Returns whether a period was over at the instant of the report.
  public func isComplete(_ period: Int) -> Bool { request.periods.bounds[period + 1] <= request.question.asOf }

  /// Returns whether a figure was final at the instant of the report: its period was over, and every payment was due.
  public func isComplete(_ figure: ReportFigure) -> Bool { isComplete(figure.period) && isEveryPaymentDue(figure) }

  /// Returns whether a retention had its whole cohort by the instant of the report: for this payment and for each before
  /// it, every customer who made the previous payment could have made it too. `true` for other metrics.
  public func isEveryPaymentDue(_ figure: ReportFigure) -> Bool {
    guard request.metric.name.hasPrefix("retention"), let step = figure.step, step > 0 else { return true }
    let cohort = figures.filter { $0.period == figure.period && $0.group.utf8.elementsEqual(figure.group.utf8) }
    let steps = Dictionary(cohort.map { ($0.step ?? 0, $0) }, uniquingKeysWith: { first, _ in first })
    return (1...step).allSatisfy { (steps[$0]?.of ?? 0) >= (steps[$0 - 1]?.amount ?? 0) }
  }

  /// How many periods had begun at the instant of the report.
  public var begunCount: Int {
    (0..<request.periods.count).filter { request.periods.bounds[$0] <= request.question.asOf }.count
  }
}
