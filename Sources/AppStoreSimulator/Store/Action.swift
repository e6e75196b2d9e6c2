/// An action of a customer, of Apple's support or of the app's owner. ``SimulatedStore/perform(_:on:)`` performs one at
/// a time.
public enum Action: Sendable, Equatable {
  /// Buys a product, given by its id or by the end of its id. The product can be a subscription or a one-time purchase.
  /// If the subscription group has an ended subscription, the customer returns to it. If it has an active one, the
  /// action works like ``change(to:)``. `offer` names an offer of the product. Without it, a new subscriber gets the
  /// introductory offer.
  case buy(String, offer: String? = nil, billedMonthly: Bool = false)
  /// A child asks to buy a product, and the purchase is deferred (Ask to Buy).
  case askToBuy(String)
  /// The family approves or declines the request of ``askToBuy(_:)``.
  case answerAskToBuy(isApproved: Bool)
  /// Starts a purchase that fails until the customer has completed a step outside the app.
  case interrupt(String)
  /// Completes the purchase of ``interrupt(_:)``, after the customer's step outside the app.
  case finishInterrupted
  /// Turns automatic renewal off.
  case cancel
  /// Turns automatic renewal on again.
  case resume
  /// Makes the following payments fail.
  case failPayments
  /// Resolves the payment problem. The store charges a failed renewal at once.
  case resolvePayment
  /// Changes to another product of the group. A product of a higher level begins at once, and so does one of the same
  /// level and length. Any other product begins with the next renewal.
  case change(to: String)
  /// Redeems a promotional offer or an offer code on an active subscription. The offer begins with the next renewal.
  case redeem(String)
  /// Asks Apple for a refund. Apple then sends the app a consumption request.
  case askForRefund
  /// Declines the refund that the customer asked for.
  case declineRefund
  /// Refunds one purchase or renewal, under all of its transaction ids. `before` counts back from the last purchase,
  /// which is 0. `isAppsFault` sets the revocation reason 1. `percentage` is in thousandths of a percent; `nil` is the
  /// full price.
  case refund(before: Int = 0, isAppsFault: Bool = false, percentage: Int64? = nil)
  /// Reverses the last refund.
  case reverseRefund
  /// Raises the price of the next renewals, by 1 to 500 percent.
  case raisePrice(percent: Int64, needsConsent: Bool)
  /// The customer agrees to the raised price.
  case agreeToPrice
  /// The customer refuses the raised price, which turns renewal off.
  case refusePrice
  /// Withdraws the product from sale, so that it does not renew again.
  case withdrawProduct
  /// Moves the end of the running period by 1 to 90 days.
  case extend(days: Int64)
  /// Moves the end of the running period for all subscribers, by 1 to 90 days. Apple also sends a summary.
  case extendAll(days: Int64)
  /// Shares the subscription with one more member of the family.
  case share
  /// Stops sharing with the member who joined last.
  case stopSharing
  /// Restores the purchase on a new device, which gives the running period a second transaction id.
  case restore
  /// Gives a purchase another `appAccountToken`: the last transaction of a subscription and all later ones, or a one-time
  /// purchase.
  case setAppAccountToken(String)
  /// Buys a product for many: 2 to 1000 seats. Apple invites the members, or the app does.
  case buySeats(String, seats: Int64, isManagedByDeveloper: Bool = false)
  /// Adds seats to the running period, at once.
  case addSeats(Int64)
  /// Reduces the seats of the next period.
  case reduceSeats(to: Int64)
  /// Refunds some seats of the running period. The transaction stays valid.
  case refundSeats(Int64)
  /// Refunds every transaction of the running period, at the same instant.
  case refundAll
  /// A member joins: Apple assigns a seat, or the app claims one.
  case joinTeam
  /// The member who joined last leaves.
  case leaveTeam
  /// An organization takes the seat of the member who joined last, and gives it to another one.
  case reassignSeat
}

/// The reason why the store cannot perform an action. The store is unchanged.
public struct ActionError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of reason, with stable names.
  public enum Code: String, Sendable, CaseIterable {
    /// The catalogue has no product that fits the action.
    case unknownProduct = "unknown_product"
    /// The product has no such offer, or the customer cannot use it now.
    case unknownOffer = "unknown_offer"
    /// The customer has no subscription to which the action can apply.
    case noPurchase = "no_purchase"
    /// The state of the subscription or purchase does not allow the action.
    case wrongState = "wrong_state"
    /// The action needs a pending request or payment, and there is none.
    case nothingPending = "nothing_pending"
    /// A number is outside its range.
    case outOfRange = "out_of_range"
    /// The store has charged for the next period, and that period has not begun.
    case renewalUnderWay = "renewal_under_way"
    /// The customer has used up the available ids.
    case exhausted
  }

  /// The kind of reason, for programs.
  public let code: Code
  /// The reason as English text, without a full stop.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The reason as English text, equal to ``message``.
  public var description: String { message }
}
