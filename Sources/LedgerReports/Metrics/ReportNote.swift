/// What the figures of a report leave out, or rest upon.
public enum ReportNote: Sendable, Equatable {
  /// How many original transactions another environment has.
  public struct Others: Sendable, Equatable {
    /// The environment.
    public var environment: String
    /// How many original transactions it has.
    public var count: Int
  }

  /// The ledger has no purchases.
  case emptyLedger
  /// The environment has no purchases; others have.
  case noPurchases(in: String, others: [Others])
  /// So many of the active subscriptions at the end of the last period have no known price, and are in no figure of money.
  case unpricedSubscriptions(Int64, of: Int64)
  /// So many of the payments have no known price, and are in no figure of money.
  case unpricedPayments(Int64, of: Int64)
  /// So many subscriptions ended, and no later evidence confirms it: they may have been renewed (rules §6).
  case unconfirmedEnds(Int64)
  /// The figures have so many currencies, and nothing is converted.
  case severalCurrencies(Int)
  /// No rate into the currency is known for any of these.
  case nothingConverted(into: String, from: [String])
  /// A payment is converted by the rate of its day, a balance by that of the period's end.
  case converted(into: String)
  /// No rate into the currency is known for these.
  case notConverted(into: String, from: [String])
  /// There are no figures in the currency that the caller chose.
  case noFigures(in: String)
  /// No catalogue says how long a period of these products is. It is taken from the periods themselves.
  case unknownPeriods(of: [String], hasMore: Bool)
}
