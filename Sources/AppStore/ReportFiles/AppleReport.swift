/// A report that App Store Connect offers for download, as Apple's own figures. It is never evidence of a purchase.
public struct AppleReport: Sendable, Equatable {
  /// The type of the report.
  public var type: AppleReportType
  /// The version that its columns belong to, as App Store Connect's API names it, such as `1_3`; `nil` if the columns
  /// belong to no known version, or the type has no versions.
  public var version: String?
  /// The vendor number in the name of the file, or as its user stated it; `nil` if neither has one. An analytics report
  /// is about one app: then it is the number of the app.
  public var vendorNumber: String?
  /// The first day that the report is about, as the first millisecond of that date in UTC. Apple's days are Pacific days.
  public var firstDay: Instant
  /// The last day that the report is about, written as ``firstDay``. It equals ``firstDay`` in a daily report.
  public var lastDay: Instant
  /// The SHA-256 of the text, decompressed.
  public var digest: ContentDigest
  /// The number of rows in the text, without the header.
  public var rowCount: Int
  /// The columns that this program does not know, as the header spells them. Their values stay in the file's text.
  public var unknownColumns: [String]
  /// The dimensions of the figures, each different one once.
  public var dimensions: [AppleFigureDimensions]
  /// The figures: the rows, summed over everything that a figure does not state.
  public var figures: [AppleFigure]
}

/// The types of reports. Their names are stable.
public enum AppleReportType: String, Sendable, CaseIterable {
  /// Summary Sales: units and money of every product (Apple's `SALES`).
  case sales
  /// The subscriptions of each state at the end of a day (Apple's `SUBSCRIPTION`).
  case subscription
  /// The events of subscriptions (Apple's `SUBSCRIPTION_EVENT`).
  case subscriptionEvent = "subscription_event"
  /// The payments and refunds of anonymous subscribers (Apple's `SUBSCRIBER`).
  case subscriber
  /// The redemptions of offer codes (Apple's `SUBSCRIPTION_OFFER_CODE_REDEMPTION`).
  case offerCodeRedemption = "offer_code_redemption"
  /// What Apple pays for a fiscal month, by product, country and price (Apple's `FINANCIAL`).
  case financial
  /// What Apple pays for a fiscal month, by the day of the purchase too (Apple's `FINANCE_DETAIL`).
  case financeDetail = "finance_detail"
  /// The subscriptions of each state, of App Store Connect's analytics.
  case analyticsState = "analytics_state"
  /// The events of subscriptions, of App Store Connect's analytics.
  case analyticsEvent = "analytics_event"

  /// Whether it is about a fiscal month, and closes with totals.
  public var isFinancial: Bool { self == .financial || self == .financeDetail }
  /// Whether it is about several days, and newer reports replace some of them.
  public var isAnalytics: Bool { self == .analyticsState || self == .analyticsEvent }
}

/// What a figure of a report counts. The names are stable.
public struct AppleMeasure: RawRepresentable, Hashable, Sendable {
  /// The stable name: a column of a snapshot such as `grace_period`, or one of the constants.
  public let rawValue: String
  /// Creates a measure with a stable name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Units that were sold or, if negative, refunded: a row of Summary Sales or of a financial report.
  public static let sale = AppleMeasure(rawValue: "sale")
  /// Payments that subscribers made.
  public static let payment = AppleMeasure(rawValue: "payment")
  /// Refunds to subscribers. A partial refund has no units.
  public static let refund = AppleMeasure(rawValue: "refund")
  /// Events of subscriptions; ``ReportColumn/event`` names the event.
  public static let event = AppleMeasure(rawValue: "event")
  /// Offer codes that customers redeemed.
  public static let redemption = AppleMeasure(rawValue: "redemption")
}

/// What a figure is about. A value is `nil` if the report has no such column, or a blank in it.
public struct AppleFigureDimensions: Sendable, Hashable {
  /// What the figure counts.
  public let measure: AppleMeasure
  /// The texts, by the number of their column.
  private let texts: [String?]
  /// The price of one unit that a customer pays.
  public let customerPrice: Milliunits?
  /// The proceeds of one unit. Apple states them without a sign.
  public let proceeds: Milliunits?
  /// All of it as bytes: equal dimensions have equal bytes, in every version of a report.
  package let key: [UInt8]

  init(
    measure: AppleMeasure, texts: [String?], customerPrice: Milliunits?, proceeds: Milliunits?, key: [UInt8]
  ) {
    (self.measure, self.texts, self.key) = (measure, texts, key)
    (self.customerPrice, self.proceeds) = (customerPrice, proceeds)
  }

  /// Returns the text of a column, as the report spells it without spaces around it; `nil` if it is blank.
  public subscript(column: ReportColumn) -> String? { texts[column.rawValue] }

  /// Returns whether two dimensions are equal.
  public static func == (one: AppleFigureDimensions, other: AppleFigureDimensions) -> Bool { one.key == other.key }

  /// Hashes the dimensions by their bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// One figure of a report. Figures of one report differ in their dimensions, days or counts.
public struct AppleFigure: Sendable, Equatable {
  /// The dimensions, as an index into ``AppleReport/dimensions``.
  public var dimensions: Int
  /// The day of the figure (`Event Date`, `Transaction Date` or the report's first day), as the first millisecond of
  /// that date in UTC.
  public var day: Instant
  /// For a refund the day of the purchase, written as ``day``; `nil` if the report does not state it.
  public var purchaseDay: Instant?
  /// The counts that a row of the event report states beside its quantity.
  public var counts: EventCounts
  /// The number of units: sales, payments, events, subscriptions or redemptions.
  public var units: Int64
  /// What customers paid: units times price. A row without units states the amount itself. `nil`: the report has no prices.
  public var customerAmount: Milliunits?
  /// The proceeds of the developer, with the sign of ``customerAmount``; `nil` if the report has none.
  public var proceedsAmount: Milliunits?
  /// The number of rows that the figure is the sum of.
  public var rows: Int64
}

/// The counts of an event. A value is `nil` if the report does not state it.
public struct EventCounts: Sendable, Hashable {
  /// The day of the first purchase, as the first millisecond of that date in UTC.
  public var originalStartDay: Instant?
  /// The paid periods without a cancellation.
  public var consecutivePaidPeriods: Int64?
  /// The days from the start until the customer switched renewal off.
  public var daysBeforeCanceling: Int64?
  /// At a reactivation: for how many days the subscription had been cancelled.
  public var daysCanceled: Int64?
}
