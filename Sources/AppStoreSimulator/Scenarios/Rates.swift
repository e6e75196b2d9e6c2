/// The frequencies of random events, each a share between 0 and 1.
public struct Rates: Sendable, Equatable {
  private var shares: [Rate: Double] = [:]

  /// Creates rates with the shares of ``Rate/standard``.
  public init() {}

  /// The share of a rate. Values below 0 become 0, and values above 1 become 1.
  public subscript(rate: Rate) -> Double {
    get { shares[rate] ?? rate.standard }
    set { shares[rate] = min(1, max(0, newValue)) }
  }
}

/// A kind of random event. Each comment states of what it is a share.
public enum Rate: String, Sendable, CaseIterable {
  /// The share of customers who first ask their family (Ask to Buy).
  case askToBuy = "ask-to-buy"
  /// The share of Ask to Buy requests that the family declines.
  case askDeclined = "ask-declined"
  /// The share of first purchases that are interrupted, and completed later.
  case interrupted
  /// The share of first purchases with an offer code.
  case code
  /// The share of yearly first purchases that are billed by the month, where the product allows it.
  case billedMonthly = "billed-monthly"
  /// The share of customers who also subscribe in a second group.
  case secondGroup = "second-group"
  /// The share of customers who make a one-time purchase, drawn three times for each.
  case oneTime = "one-time"
  /// The share of customers who share a product with the family, where the product allows it.
  case share
  /// The share of periods in which a family member loses access, where the product can be shared.
  case stopSharing = "stop-sharing"
  /// The share of periods in which the customer turns renewal off.
  case cancel
  /// The share of cancellations that the customer undoes before the period ends.
  case resume
  /// The share of periods after which the payment fails.
  case paymentFailure = "payment-failure"
  /// The share of failed payments that succeed within the grace period, or in the first days without one.
  case recoverSoon = "recover-soon"
  /// The share of the other failed payments that succeed later, while Apple retries.
  case recoverLate = "recover-late"
  /// The share of periods, and of one-time purchases, with a refund request.
  case refundAsked = "refund-asked"
  /// The share of refund requests that Apple grants.
  case refundGranted = "refund-granted"
  /// The share of refunds for a fault of the app.
  case refundAppsFault = "refund-apps-fault"
  /// The share of refunds that concern the period before the running one.
  case refundEarlier = "refund-earlier"
  /// The share of refunds of a part of the price.
  case refundProrated = "refund-prorated"
  /// The share of refunds that Apple reverses some days later.
  case refundReversed = "refund-reversed"
  /// The share of periods in which the customer chooses another product of the group.
  case change
  /// The share of such choices that the customer undoes before the next renewal.
  case changeUndone = "change-undone"
  /// The share of periods in which the customer redeems an offer.
  case redeem
  /// The share of periods in which the price is raised.
  case priceIncrease = "price-increase"
  /// The share of price increases that need the customer's consent.
  case priceConsent = "price-consent"
  /// The share of consent requests that the customer accepts.
  case priceAgreed = "price-agreed"
  /// The share of the other consent requests that the customer refuses. The rest get no answer.
  case priceRefused = "price-refused"
  /// The share of periods that are extended.
  case extend
  /// The share of periods in which a restore gives the purchase a second id.
  case restore
  /// The share of periods in which the product is withdrawn from sale.
  case withdraw
  /// The share of ended subscriptions to which the customer returns.
  case comeBack = "come-back"
  /// The share of returns with an offer.
  case winBack = "win-back"
  /// The share of customers who buy seats for others.
  case seats
  /// The share of these whose app gives the seats to members, not Apple.
  case seatsManagedByDeveloper = "seats-managed-by-developer"
  /// The share of periods with several seats in which seats are added; drawn twice.
  case seatsAdded = "seats-added"
  /// The share of periods with several seats after which the seats are fewer.
  case seatsReduced = "seats-reduced"
  /// The share of periods with several seats in which Apple refunds some.
  case seatsRefunded = "seats-refunded"
  /// The share of periods with several seats in which Apple refunds one transaction or all.
  case seatPeriodRefunded = "seat-period-refunded"
  /// The share of periods with several seats in which a member joins; drawn twice.
  case memberJoins = "member-joins"
  /// The share of periods with several seats in which a member leaves, or an organization gives the seat to another.
  case memberLeaves = "member-leaves"

  /// The share that applies where a caller sets none.
  public var standard: Double {
    switch self {
    case .askToBuy, .code, .secondGroup, .winBack: 0.1
    case .askDeclined, .share, .comeBack, .refundEarlier, .priceRefused: 0.3
    case .interrupted, .stopSharing, .change: 0.04
    case .billedMonthly, .oneTime, .changeUndone, .refundAppsFault, .refundProrated: 0.2
    case .cancel: 0.08
    case .resume, .refundReversed, .recoverLate: 0.15
    case .paymentFailure: 0.06
    case .recoverSoon, .priceConsent, .priceAgreed: 0.5
    case .refundAsked: 0.03
    case .refundGranted: 0.6
    case .redeem, .priceIncrease, .restore: 0.02
    case .extend: 0.01
    case .withdraw: 0.003
    case .seats: 0
    case .seatsManagedByDeveloper, .seatsAdded, .memberJoins: 0.4
    case .seatsReduced, .memberLeaves: 0.15
    case .seatsRefunded: 0.1
    case .seatPeriodRefunded: 0.05
    }
  }
}
