/// What customers, Apple's support and the app's owner can do: each is one call of ``SimulatedStore/perform(_:on:)``.
public enum Action: Sendable, Equatable {
  /// Buys a product (an id, or its end): a new subscription, a return to one, something bought once; where the group has
  /// an active subscription, the same as ``change(to:)``. With an offer's identifier, that offer; without one, the
  /// introductory offer, for whoever has not had it.
  case buy(String, offer: String? = nil, billedMonthly: Bool = false)
  /// A child asks; the purchase is deferred.
  case askToBuy(String)
  /// The family's answer.
  case answerAskToBuy(isApproved: Bool)
  /// A purchase that cannot go on before the customer has done something outside the app.
  case interrupt(String)
  /// The customer did it, and the purchase comes through.
  case finishInterrupted
  /// Turns automatic renewal off.
  case cancel
  /// Turns it on again.
  case resume
  /// The payments that follow fail.
  case failPayments
  /// The payment problem is resolved: a failed renewal is paid for at once.
  case resolvePayment
  /// Another product of the group: at once where it is of a higher level, or of the same level and length; otherwise with
  /// the next renewal.
  case change(to: String)
  /// Redeems a promotional offer or a code on an active subscription, from its next renewal on.
  case redeem(String)
  /// Asks for a refund: Apple asks the app about consumption.
  case askForRefund
  /// Apple refuses the refund that was asked for.
  case declineRefund
  /// Refunds the transaction that is so many before the last, and all that was given out anew for the same purchase.
  case refund(before: Int = 0, isAppsFault: Bool = false, percentage: Int64? = nil)
  /// Undoes the last refund.
  case reverseRefund
  /// Raises the price of the next renewals, in percent.
  case raisePrice(percent: Int64, needsConsent: Bool)
  /// The customer agrees to it.
  case agreeToPrice
  /// The customer does not, and renewal is turned off.
  case refusePrice
  /// The product is withdrawn: it renews no more.
  case withdrawProduct
  /// Moves the end of the running period by so many days (1 to 90).
  case extend(days: Int64)
  /// The same for everybody, with the summary that Apple sends of it.
  case extendAll(days: Int64)
  /// Shares the subscription with one more member of the family.
  case share
  /// The member who joined last loses it.
  case stopSharing
  /// Restores on a new device, which gives the running period a second transaction id.
  case restore
}

/// Why something cannot be done in the present state. Nothing was done.
public struct ActionError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of reason: stable names.
  public enum Code: String, Sendable, CaseIterable {
    /// No such product is on sale.
    case unknownProduct = "unknown_product"
    /// No such offer, or not for this customer now.
    case unknownOffer = "unknown_offer"
    /// Nothing has been bought yet.
    case noPurchase = "no_purchase"
    /// The subscription is not in a state for this.
    case wrongState = "wrong_state"
    /// Nothing is waiting for this.
    case nothingPending = "nothing_pending"
    /// A number is out of its range.
    case outOfRange = "out_of_range"
    /// The next period is already charged: it must begin first.
    case renewalUnderWay = "renewal_under_way"
    /// The life has used up the ids that a customer has.
    case exhausted
  }

  /// The reason's name.
  public let code: Code
  /// The reason in words, without a full stop.
  public let words: String

  init(_ code: Code, _ words: String) {
    self.code = code
    self.words = words
  }

  /// The words.
  public var description: String { words }
}
