public import AppStore
internal import LedgerSchema
public import LedgerStore

/// What is asked of a metric.
public struct ReportRequest: Sendable {
  /// Which.
  public var metric: Metric
  /// For which periods.
  public var periods: ReportPeriods
  /// As of when, as far as was known when: what began later, and what was learned later, is not in it.
  public var question: Question
  /// Broken down by what.
  public var dimension = Metric.Dimension.none
  /// Whose purchases count.
  public var environment = Environment.production
  /// Of which app only; `nil` for all.
  public var bundleID: String?
  /// Into which currency money is converted, by the rates that were imported; `nil` for none.
  public var currency: String?

  /// A request for production's figures, not broken down.
  public init(_ metric: Metric, _ periods: ReportPeriods, _ question: Question) {
    (self.metric, self.periods, self.question) = (metric, periods, question)
  }
}

/// One figure of a report.
public struct ReportFigure: Sendable, Equatable {
  /// Of which period, from 0.
  public var period: Int
  /// Of which group; `all` where nothing is broken down.
  public var group: String
  /// Of money: its currency; `nil` of numbers, and where Apple named none.
  public var currency: String?
  /// Of cohorts: the number of the payment, or of days.
  public var step: Int64?
  /// How much: a number, or milliunits of the currency.
  public var amount: Int64
  /// Of a share: of how much; of retention: how many payments were due by now.
  public var of: Int64?

  /// A figure.
  public init(period: Int, group: String, currency: String?, step: Int64?, amount: Int64, of: Int64?) {
    (self.period, self.group, self.currency) = (period, group, currency)
    (self.step, self.amount, self.of) = (step, amount, of)
  }
}

/// A metric's figures, and what they leave out.
public struct Report: Sendable {
  /// What was asked.
  public var request: ReportRequest
  /// The figures, by period, group, currency and step. Of a flow, what is not here did not happen.
  public var figures: [ReportFigure]
  /// What the figures leave out or rest upon, in sentences: no price known, several currencies, no catalogue.
  public var notes: [ReportNote]

  /// Whether a period was over at the report's instant.
  public func isComplete(_ period: Int) -> Bool { request.periods.bounds[period + 1] <= request.question.asOf }
  /// How many periods had begun by then.
  public var begunCount: Int {
    (0..<request.periods.count).filter { request.periods.bounds[$0] <= request.question.asOf }.count
  }
}
