public import AppStore

/// What the figures of a report leave out, or rest on.
public enum ReportNote: Sendable, Equatable {
  /// How many original transactions another environment has.
  public struct Others: Sendable, Equatable {
    /// The name of the environment.
    public var environment: String
    /// How many original transactions it has.
    public var count: Int
  }

  /// The ledger has no purchases.
  case emptyLedger
  /// The environment has no purchases, and others have some.
  case noPurchases(in: String, others: [Others])
  /// The chosen app has no purchases in the environment, and these apps have some. `hasMore`: others have some too.
  case noPurchasesOfApp(String, apps: [String], hasMore: Bool)
  /// This many of the active subscriptions at the end of the last period have no known price. No amount includes them.
  case unpricedSubscriptions(Int64, of: Int64)
  /// This many of the payments have no known price. No amount includes them.
  case unpricedPayments(Int64, of: Int64)
  /// This many subscriptions ended without later evidence that confirms it. They may have renewed (rules §6).
  case unconfirmedEnds(Int64)
  /// The evidence ends at this instant, and the report has later periods.
  case evidenceEnds(Instant)
  /// Evidence that was recorded after this instant counts, and the report is as of it.
  case knownLater(Instant)
  /// The figures have this many currencies, and nothing is converted.
  case severalCurrencies(Int)
  /// The ledger knows no rate from any of these currencies into the chosen one.
  case nothingConverted(into: String, from: [String])
  /// The figures are converted: a payment by the rate of its day, a balance by the rate of the period's end.
  case converted(into: String)
  /// The ledger knows no rate from these currencies into the chosen one.
  case notConverted(into: String, from: [String])
  /// A rate into the chosen currency was imported at this instant, after the one at which the report's evidence was
  /// known.
  case ratesKnownLater(into: String, at: Instant)
  /// The report has no figures in the currency that the caller chose.
  case noFigures(in: String)
  /// The figures are estimated from these statements about tax and commission. No tax is stated for some storefronts.
  case estimated(from: [ProceedsTerm], withoutTax: [String])
  /// Apple's daily sales reports of so many days are imported, of the days of the report.
  case reportedDays(Int, of: Int)
  /// Apple's sales reports name no bundle id. So they have no proceeds of the chosen app alone.
  case proceedsOfNoApp(String)
  /// No catalogue states how long a period of these products is. The periods themselves give the length where an amount
  /// needs it; they are in no group by duration.
  case unknownPeriods(of: [String], hasMore: Bool, isGroup: Bool)
}
