internal import LedgerSchema
internal import LedgerStore

/// One figure that a report can tell, period by period. What each is made of is the view `metric_measure`.
public struct Metric: Sendable, Equatable {
  /// How figures of a metric are read.
  public enum Kind: String, Sendable {
    /// How many there are, or how much it is, at a period's end.
    case balance
    /// What happened in a period.
    case flow
    /// What happened to what else happened or was there: `amount` of `of`.
    case share
    /// By the number of a payment, or of days.
    case cohort
  }

  /// What is counted.
  public enum Unit: String, Sendable {
    /// Lines, periods, requests: a number.
    case count
    /// Milliunits of a currency.
    case money
    /// A share of one.
    case share
  }

  /// What one can break a figure down by.
  public enum Dimension: String, Sendable, CaseIterable {
    /// Not at all.
    case none
    /// The product's id.
    case product
    /// How long the catalogue says that the product's period is.
    case duration
    /// The storefront of the purchase.
    case country
    /// The offer's identifier.
    case offer
    /// introductory, promotional, offer_code, win_back, none.
    case offerType = "offer_type"
    /// Why, or of what kind: each metric says what its reasons are.
    case reason
    /// The customer's reason, where a refund was asked for.
    case detail
    /// The app's bundle id.
    case app
  }

  /// Its name, as in `metric_measure`.
  public let name: String
  /// Its name for people.
  public let title: String
  /// How it is read.
  public let kind: Kind
  /// What is counted.
  public let unit: Unit
  /// What it counts, in one or two sentences.
  public let definition: String
  /// Where it differs from RevenueCat's chart of the like name, or from App Store Connect's; empty where it does not.
  public let difference: String

  init(_ name: String, _ title: String, _ kind: Kind, _ unit: Unit, _ definition: String, _ difference: String = "") {
    (self.name, self.title, self.kind, self.unit) = (name, title, kind, unit)
    (self.definition, self.difference) = (definition, difference)
  }

  /// Whether a figure can be broken down by something: not every one has reasons, and a share only those that both of its
  /// parts have.
  public func canBeBroken(by dimension: Dimension) -> Bool {
    switch dimension {
    case .reason: Self.reasoned.contains(name)
    case .detail: name == "refund_requests"
    default: true
    }
  }

  private static let reasoned: Set = [
    "new_paid", "resubscribed", "churned", "active_movement", "revenue", "revenue_gross", "revenue_refunded", "refunds",
    "refunds_paid", "refund_rate", "refund_rate_by_amount", "refund_requests", "transactions_paid",
    "transactions_unpriced", "offers_redeemed", "price_consent",
  ]

  /// The metric of a name; `nil` where there is none.
  public static func named(_ name: String) -> Metric? {
    all.first { $0.name == name.lowercased().replacing("-", with: "_") }
  }
}
