public import AppStore
public import LedgerStore

/// What a reconciliation compares. The names are stable.
public enum Agreement: String, Sendable, CaseIterable {
  /// Paid periods of subscriptions: the report `subscriber`.
  case payments
  /// Refunds of subscriptions: the report `subscriber`.
  case refunds
  /// Paid periods and one-time purchases: the report `sales`.
  case sales
  /// Complete refunds: the report `sales`.
  case returns
  /// Subscriptions in a state at the end of a day: the report `subscription`.
  case states
  /// What happened to subscriptions: the report `subscription_event`.
  case events
  /// Units whose proceeds are those of the terms: the report `sales`, and no purchases of the ledger.
  case proceeds
  /// Units that were sold and returned in fiscal months: the reports `financial` and `finance_detail`.
  case finance
  /// Subscriptions in a state at the end of a day, by App Store Connect's analytics: the report `analytics_state`.
  case analyticsStates = "analytics_states"
  /// What happened to subscriptions, by App Store Connect's analytics: the report `analytics_event`.
  case analyticsEvents = "analytics_events"

  /// The types of reports with Apple's figures.
  public var reports: [AppleReportType] {
    switch self {
    case .payments, .refunds: [.subscriber]
    case .sales, .returns, .proceeds: [.sales]
    case .states: [.subscription]
    case .events: [.subscriptionEvent]
    case .finance: [.financial, .financeDetail]
    case .analyticsStates: [.analyticsState]
    case .analyticsEvents: [.analyticsEvent]
    }
  }
}

/// Why Apple's figure and the ledger's differ. The names are those of the columns of the view `reconciliation`, in its
/// order: a unit belongs to the first class that fits.
public enum DifferenceClass: String, Sendable, CaseIterable {
  /// No report of the day is imported.
  case reportMissing = "report_missing"
  /// The report's product number or country leads to no product id or code.
  case notMapped = "not_mapped"
  /// Apple counts the unit on another day.
  case day
  /// Apple settled it in the fiscal month before or after.
  case settlement
  /// Apple counted it as refunded, and reversed the refund later.
  case learnedLater = "learned_later"
  /// The ledger has it in another environment.
  case environment = "environment_difference"
  /// Both have an event, and Apple counts it as another kind.
  case definition
  /// Both have it, at different prices or without one.
  case price
  /// Apple's proceeds are not those of the terms.
  case terms
  /// Apple reports it, and the ledger has no such purchase.
  case notReceived = "not_received"
  /// The ledger has it, nothing signed states it, and Apple does not report it.
  case notReported = "not_reported"
  /// None of the other classes.
  case unexplained

  /// The name in a table for people. The column has a longer name where another view has a column of that name.
  public var shortName: String { self == .environment ? "environment" : rawValue }
}

/// How the rows of a reconciliation are split.
public enum ReconciliationGroup: String, Sendable, CaseIterable {
  /// One row for each product.
  case product
  /// One row for each country.
  case country
  /// One row for each Pacific day.
  case day
  /// One row for each product, country, currency, price and day.
  case key

  var columns: [String] {
    switch self {
    case .product: ["product_id"]
    case .country: ["country"]
    case .day: ["day_at"]
    case .key: ["day_at", "product_id", "country", "currency", "price_milliunits"]
    }
  }
}

/// What a reconciliation is about.
public struct ReconciliationRequest: Sendable {
  /// The first Pacific day, as the first millisecond of its date in UTC.
  public var firstDay: Instant
  /// The last Pacific day, written as ``firstDay``.
  public var lastDay: Instant
  /// What the two sides count.
  public var agreements: [Agreement] = Agreement.allCases
  /// How the rows are split; `nil` for one row for each agreement.
  public var group: ReconciliationGroup?
  /// The app, by its bundle id; `nil` for all apps.
  public var bundleID: String?
  /// The instants, and the evidence that counts.
  public var parameters: QueryParameters

  /// Creates a request for some days. The other properties have defaults.
  public init(firstDay: Instant, lastDay: Instant, parameters: QueryParameters) {
    (self.firstDay, self.lastDay, self.parameters) = (firstDay, lastDay, parameters)
  }
}

/// The comparison of Apple's figures with the ledger's for one agreement, and for one group where rows are split.
public struct ReconciliationRow: Sendable, Equatable {
  /// What the two sides count.
  public var agreement: Agreement
  /// What is counted where an agreement has several rows: the state of `states`, as figures of the report `subscription`
  /// name it, the kind of `events`, as the view `apple_event` names it, and `sales` or `returns` of `finance`. `nil` for
  /// others.
  public var measure: String?
  /// The product id; `nil` for all, or where the report's number leads to none.
  public var productID: String?
  /// The country, as a code of three letters; `nil` for all, or not stated.
  public var country: String?
  /// The currency; `nil` for all, or not stated.
  public var currency: String?
  /// The price in milliunits of ``currency``; `nil` for all, or not stated.
  public var price: Milliunits?
  /// The Pacific day, as the first millisecond of its date in UTC: of `finance` the first of the month. `nil` for all.
  public var day: Instant?
  /// The units that Apple reports. Of states, they are the sum of all days.
  public var apple: Int64
  /// The units that the ledger counts.
  public var ledger: Int64
  /// The units that both have at the same key.
  public var agreed: Int64
  /// The units of each class. A unit at another day or price counts once.
  public var differences: [DifferenceClass: Int64]

  /// The units that no class explains.
  public var unexplained: Int64 { differences[.unexplained] ?? 0 }
}

/// The result of a reconciliation.
public struct Reconciliation: Sendable {
  /// The request that it answers.
  public var request: ReconciliationRequest
  /// The rows, by agreement and then by group.
  public var rows: [ReconciliationRow]
  /// The agreements for which no report is imported. They have no rows.
  public var withoutReports: [Agreement]

  /// The units that no class explains.
  public var unexplained: Int64 { rows.reduce(0) { $0 + $1.unexplained } }
}

/// A purchase or refund of the ledger in Apple's terms.
public struct ReconciliationItem: Sendable, Equatable {
  /// What it is compared for.
  public var agreement: Agreement
  /// The state at the end of the day, the kind of event, or `sales` and `returns` of `finance`; `nil` for others.
  public var measure: String?
  /// The Pacific day, as the first millisecond of its date in UTC.
  public var day: Instant
  /// When it was bought or refunded, or the event happened; `nil` for states.
  public var occurredAt: Instant?
  /// Apple's `originalTransactionId` of the subscription or purchase.
  public var originalTransactionID: String
  /// Apple's `transactionId` of the period or purchase.
  public var transactionID: String
  /// The environment, as Apple names it.
  public var environment: String
  /// The product id; `nil` if no text states it.
  public var productID: String?
  /// The country, as a code of three letters; `nil` if no text states it.
  public var country: String?
  /// The currency; `nil` if no text states it.
  public var currency: String?
  /// The price in milliunits of ``currency``; `nil` if no text states it, or for refunds.
  public var price: Milliunits?
  /// Why Apple should not report it: `environment`, `ownership`, `free`, or `refund` for a state until Apple reversed a
  /// refund. `nil`: it should.
  public var excludedBy: String?
}
