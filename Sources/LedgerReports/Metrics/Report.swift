public import AppStore
internal import LedgerSchema
public import LedgerStore

/// What a report shows: one metric, its periods, and what counts.
public struct ReportRequest: Sendable {
  /// The metric to report.
  public var metric: Metric
  /// The periods of the report.
  public var periods: ReportPeriods
  /// The two instants. What began after `QueryParameters/asOf` or was recorded after `QueryParameters/knownAt` does not count.
  public var parameters: QueryParameters
  /// The dimensions by which the figures are split, each named once; empty for one figure of everything.
  public var dimensions: [Metric.Dimension]
  /// The environment whose purchases count.
  public var environment = Environment.production
  /// The bundle id of the only app that counts; `nil` for all apps.
  public var bundleID: String?
  /// The currency to convert money into, by the imported rates, as an ISO 4217 code; `nil` for no conversion.
  public var currency: String?

  /// Creates a request for figures of Production without dimensions. Those of retention are split by duration, because a
  /// cohort of weekly and yearly subscriptions has no meaning.
  public init(_ metric: Metric, _ periods: ReportPeriods, _ parameters: QueryParameters) {
    (self.metric, self.periods, self.parameters) = (metric, periods, parameters)
    dimensions = metric.hasCohorts ? [.duration] : []
  }
}

/// One figure of a report.
public struct ReportFigure: Sendable, Equatable {
  /// The number of its period, from 0.
  public var period: Int
  /// Its value in each dimension of the request, in the same order.
  public var groups: [String]
  /// The currency of an amount, as an ISO 4217 code; `nil` for numbers, and when Apple stated none.
  public var currency: String?
  /// For cohorts: the number of the payment, or of days; else `nil`.
  public var step: Int64?
  /// The value: a number, or milliunits of the currency.
  public var amount: Int64
  /// For a share: the whole. For retention: how many payments were due by now. Else `nil`.
  public var of: Int64?
  /// What retention adds: the cohort of the figure; `nil` for other metrics.
  public var cohort: Cohort?

  /// The cohort of a figure of retention, and what the figure is of it.
  public struct Cohort: Sendable, Equatable {
    /// How many made the first payment.
    public var size: Int64
    /// The part that made every payment up to this one, from 0 to 1. Where a payment was not yet due for some, only
    /// those count for whom it was. `nil`: it was due for nobody.
    public var share: Double?
    /// Whether the whole cohort could have made this payment: it was due for everybody who made the previous one.
    public var isEveryPaymentDue: Bool
  }

  /// The figure as a part of a whole, from 0 to 1; `nil` for another figure, and for a share of nothing.
  public var share: Double? {
    guard cohort == nil else { return cohort?.share }
    return of.flatMap { $0 == 0 ? nil : Double(amount) / Double($0) }
  }

  /// Creates a figure of a report.
  public init(period: Int, groups: [String], currency: String?, step: Int64?, amount: Int64, of: Int64?) {
    (self.period, self.groups, self.currency) = (period, groups, currency)
    (self.step, self.amount, self.of) = (step, amount, of)
  }

  /// Returns whether the figure has these values in the dimensions of its request, byte by byte.
  public func hasGroups(_ others: [String]) -> Bool { groups.elementsEqual(others) { $0.utf8.elementsEqual($1.utf8) } }
}

extension [ReportFigure] {
  /// Returns figures of retention with their cohorts. They are ordered by group, period and step.
  func withCohorts() -> [ReportFigure] {
    var figures = self
    var first = 0
    for index in indices {
      if self[index].period != self[first].period || !self[index].hasGroups(self[first].groups) { first = index }
      let size = self[first].step == 0 ? self[first].amount : 0
      guard index > first, size > 0, let cohort = figures[index - 1].cohort else {
        figures[index].cohort = ReportFigure.Cohort(size: size, share: size > 0 ? 1 : nil, isEveryPaymentDue: true)
        continue
      }
      figures[index].cohort = cohort.after(self[index - 1], self[index])
    }
    return figures
  }
}

extension ReportFigure.Cohort {
  /// Returns the cohort of the next figure that there is.
  fileprivate func after(_ previous: ReportFigure, _ figure: ReportFigure) -> ReportFigure.Cohort {
    let due = figure.of ?? 0
    // A payment without a figure was due for nobody.
    let follows = figure.step == previous.step.map { $0 + 1 } || previous.amount == 0
    let isDue = isEveryPaymentDue && follows && due >= previous.amount
    var share: Double?
    if isDue {
      share = Double(figure.amount) / Double(size)
    } else if follows, due > 0 {
      share = self.share.map { $0 * Double(figure.amount) / Double(due) }
    }
    return ReportFigure.Cohort(size: size, share: share, isEveryPaymentDue: isDue)
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

  /// The end of the evidence, if it is more than a day before the instant of the report; else `nil`. Nothing is known of
  /// what happened later.
  public var evidenceEndsAt: Instant?

  /// Returns whether a period was over at the instant of the report, and at the end of the evidence.
  public func isComplete(_ period: Int) -> Bool {
    request.periods.bounds[period + 1] <= min(request.parameters.asOf, evidenceEndsAt ?? request.parameters.asOf)
  }

  /// Returns whether a figure was final at the instant of the report: its period was over, and every payment was due.
  public func isComplete(_ figure: ReportFigure) -> Bool {
    isComplete(figure.period) && figure.cohort?.isEveryPaymentDue ?? true
  }

  /// How many periods had begun at the instant of the report.
  public var begunCount: Int {
    (0..<request.periods.count).filter { request.periods.bounds[$0] <= request.parameters.asOf }.count
  }
}
