/// How often things happen in random lives: each a share between 0 and 1.
public struct Rates: Sendable, Equatable {
  private var shares: [Rate: Double] = [:]

  /// The shares of ``Rate/standard``.
  public init() {}

  /// One share.
  public subscript(rate: Rate) -> Double {
    get { shares[rate] ?? rate.standard }
    set { shares[rate] = min(1, max(0, newValue)) }
  }
}

/// What may happen, and of what it is a share.
public enum Rate: String, Sendable, CaseIterable {
  /// Of customers: ask their family first.
  case askToBuy = "ask-to-buy"
  /// Of Ask to Buy requests: declined.
  case askDeclined = "ask-declined"
  /// Of first purchases: interrupted, and finished later.
  case interrupted
  /// Of first purchases: with an offer code.
  case code
  /// Of yearly purchases that can be: billed by the month.
  case billedMonthly = "billed-monthly"
  /// Of customers: subscribe in a second group too.
  case secondGroup = "second-group"
  /// Of customers: buy something once, each of up to three times.
  case oneTime = "one-time"
  /// Of customers with a product that can be: share it with the family.
  case share
  /// Of periods that are shared: a member loses it.
  case stopSharing = "stop-sharing"
  /// Of periods: renewal is turned off.
  case cancel
  /// Of those: turned on again before the end.
  case resume
  /// Of periods: the payment for the next one fails.
  case paymentFailure = "payment-failure"
  /// Of failures: paid within grace, or in the first days where there is none.
  case recoverSoon = "recover-soon"
  /// Of failures: paid later, while Apple still tries.
  case recoverLate = "recover-late"
  /// Of periods, and of one-time purchases: a refund is asked for.
  case refundAsked = "refund-asked"
  /// Of those: granted.
  case refundGranted = "refund-granted"
  /// Of those: for the app's fault.
  case refundAppsFault = "refund-apps-fault"
  /// Of refunds: of the period before the running one.
  case refundEarlier = "refund-earlier"
  /// Of refunds: of a part only.
  case refundProrated = "refund-prorated"
  /// Of refunds: undone some days later.
  case refundReversed = "refund-reversed"
  /// Of periods: another product of the group is chosen.
  case change
  /// Of those: undone before the next renewal.
  case changeUndone = "change-undone"
  /// Of periods: an offer is redeemed.
  case redeem
  /// Of periods: the price is raised.
  case priceIncrease = "price-increase"
  /// Of increases: the customer must agree.
  case priceConsent = "price-consent"
  /// Of those: agrees.
  case priceAgreed = "price-agreed"
  /// Of those: refuses; the rest does not answer.
  case priceRefused = "price-refused"
  /// Of periods: the renewal is extended.
  case extend
  /// Of periods: the purchase is restored under a second id.
  case restore
  /// Of periods: the product is withdrawn.
  case withdraw
  /// Of subscriptions that ended: the customer returns.
  case comeBack = "come-back"
  /// Of those: with an offer.
  case winBack = "win-back"

  /// The share where no other is given.
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
    }
  }
}
