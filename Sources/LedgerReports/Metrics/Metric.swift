internal import LedgerSchema
internal import LedgerStore

/// One metric of the reports. The view `metric_measure` defines the measures that it consists of.
public struct Metric: Sendable, Equatable {
  /// How the figures of a metric are to be read.
  public enum Kind: String, Sendable {
    /// The number or amount at the end of a period.
    case balance
    /// What happened in a period.
    case flow
    /// A part of a whole: `amount` of `of`.
    case share
    /// Figures by step: the number of a payment, or of days.
    case cohort
  }

  /// The unit of a figure.
  public enum Unit: String, Sendable {
    /// A number, for example of subscriptions, payments or requests.
    case count
    /// An amount in milliunits of a currency.
    case money
    /// A fraction of 1.
    case share
  }

  /// A dimension by which figures can be split.
  public enum Dimension: String, Sendable, CaseIterable {
    /// The product id of the purchase.
    case product
    /// The length of a period, as the catalogue states it for the product.
    case duration
    /// The storefront of the purchase: a country's App Store.
    case country
    /// The identifier of the offer.
    case offer
    /// The type of the offer: `introductory`, `promotional`, `offer_code`, `win_back` or `none`.
    case offerType = "offer_type"
    /// The reason or the kind. The definition of each metric lists its reasons.
    case reason
    /// The customer's reason for a refund request.
    case detail
    /// The bundle id of the app.
    case app
  }

  /// The name of the metric in the view `metric_measure`, such as `new_paid`.
  public let name: String
  /// The name of the metric for people.
  public let title: String
  /// How its figures are to be read.
  public let kind: Kind
  /// The unit of its figures.
  public let unit: Unit
  /// What it counts, in a few sentences.
  public let definition: String
  /// How it differs from RevenueCat's chart with a similar name or from App Store Connect's; empty when it does not.
  public let difference: String

  init(_ name: String, _ title: String, _ kind: Kind, _ unit: Unit, _ definition: String, _ difference: String = "") {
    (self.name, self.title, self.kind, self.unit) = (name, title, kind, unit)
    (self.definition, self.difference) = (definition, difference)
  }

  /// Returns whether its figures can be split by a dimension. Only some metrics have reasons. A share has a reason
  /// when both of its parts have it.
  public func canBeSplit(by dimension: Dimension) -> Bool {
    switch dimension {
    case .reason: Self.reasoned.contains(name)
    case .detail: name == "refund_requests"
    // Apple's reports name neither the app by its bundle id nor every offer.
    case .app, .offer, .offerType: name != "proceeds"
    default: true
    }
  }

  private static let reasoned: Set = [
    "new_paid", "resubscribed", "churned", "active_movement", "revenue", "revenue_gross", "revenue_refunded",
    "proceeds", "proceeds_estimated", "refunds", "refunds_paid", "refund_rate", "refund_rate_by_amount",
    "refund_requests", "transactions_paid", "transactions_unpriced", "offers_redeemed", "price_consent",
  ]

  /// Whether it follows the customers who began in a period from payment to payment.
  public var hasCohorts: Bool { name.hasPrefix("retention") }

  /// Returns the metric with a name, in any case and with `-` or `_`; `nil` when there is none.
  public static func named(_ name: String) -> Metric? {
    all.first { $0.name == name.lowercased().replacing("-", with: "_") }
  }
}
