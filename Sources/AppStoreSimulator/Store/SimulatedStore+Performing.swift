import AppStore

extension SimulatedStore {
  /// The object of an action. Without one, an action applies to the purchaser's last subscription. A refund applies to
  /// the last one-time purchase where the customer has no subscription.
  public enum Target: Sendable, Equatable {
    /// A subscription, as an index into ``SimulatedStore/subscriptions``.
    case subscription(Int)
    /// A one-time purchase, as an index into ``SimulatedStore/purchases``.
    case purchase(Int)
  }

  /// Performs an action, one second after the current instant. Events of the store that are due by then happen first.
  /// - Throws: ``ActionError`` where the present state does not allow the action. The store and its clock are then
  ///   unchanged.
  public mutating func perform(_ action: Action, on target: Target? = nil) throws(ActionError) {
    guard !ids.isExhausted else { throw ActionError(.exhausted, "this customer has used up the available ids") }
    var next = self
    while next.step(to: next.clock + 1000) {}
    next.begin(at: next.clock)
    try next.act(action, target)
    self = next
  }

  private mutating func act(_ action: Action, _ target: Target?) throws(ActionError) {
    switch action {
    case .buy(let id, let offer, let monthly):
      try buy(catalog.index(of: id), offer: offer, billedMonthly: monthly)
    case .askToBuy(let id): try askToBuy(catalog.index(of: id))
    case .answerAskToBuy(let isApproved): try answerAskToBuy(isApproved)
    case .interrupt(let id): try interrupt(catalog.index(of: id))
    case .finishInterrupted: try finishInterrupted()
    case .change(let id): try change(subscription(target), to: catalog.index(of: id))
    case .redeem(let offer): try redeem(subscription(target), offer)
    case .cancel: try cancel(subscription(target))
    case .resume: try resume(subscription(target))
    case .failPayments: try failPayments(subscription(target))
    case .resolvePayment: try resolvePayment(subscription(target))
    case .askForRefund: try askForRefund(target)
    case .declineRefund: try declineRefund(target)
    case .refund(let before, let isAppsFault, let percentage):
      try refund(target, before: before, reason: isAppsFault ? 1 : 0, percentage: percentage)
    case .reverseRefund: try reverseRefund()
    case .raisePrice(let percent, let consent):
      try raisePrice(subscription(target), percent: percent, needsConsent: consent)
    case .agreeToPrice: try agreeToPrice(subscription(target))
    case .refusePrice: try refusePrice(subscription(target))
    case .withdrawProduct: try withdraw(subscription(target))
    case .extend(let days): try extend(subscription(target), days: days)
    case .extendAll(let days): try extendAll(subscription(target), days: days)
    case .share: try share(subscription(target))
    case .stopSharing: try stopSharing(subscription(target))
    case .restore: try restore(subscription(target))
    case .setAppAccountToken(let token): try setAppAccountToken(token, target)
    case .buySeats, .addSeats, .reduceSeats, .refundSeats, .refundAll, .joinTeam, .leaveTeam, .reassignSeat:
      try actOnSeats(action, target)
    }
  }

  private mutating func actOnSeats(_ action: Action, _ target: Target?) throws(ActionError) {
    switch action {
    case .buySeats(let id, let seats, let isManagedByDeveloper):
      try buySeats(catalog.index(of: id), seats: seats, isManagedByDeveloper: isManagedByDeveloper)
    case .addSeats(let count): try addSeats(subscription(target), count)
    case .reduceSeats(let count): try reduceSeats(subscription(target), to: count)
    case .refundSeats(let count): try refundSeats(subscription(target), count)
    case .refundAll: try refundAll(subscription(target))
    case .joinTeam: try joinTeam(subscription(target))
    case .leaveTeam: try leaveTeam(subscription(target))
    case .reassignSeat: try reassignSeat(subscription(target))
    default: break
    }
  }

  /// Returns the purchaser's subscription that an action is about, as an index.
  func subscription(_ target: Target?) throws(ActionError) -> Int {
    if case .subscription(let index) = target, subscriptions.indices.contains(index),
      subscriptions[index].sharedFrom == nil
    {
      return index
    }
    guard target == nil, let last = subscriptions.lastIndex(where: { $0.sharedFrom == nil }) else {
      throw ActionError(.noPurchase, "the customer has no subscription yet")
    }
    return last
  }

  /// Throws where a subscription is not active. With `notCharged`, also throws where its next period is charged
  /// already.
  func requireActive(_ index: Int, notCharged: Bool = false) throws(ActionError) {
    guard subscriptions[index].state == .active else {
      throw ActionError(.wrongState, "the subscription is not active, but \(subscriptions[index].state.rawValue)")
    }
    if notCharged, subscriptions[index].isCharged(at: clock) {
      throw ActionError(
        .renewalUnderWay, "the next period is charged already and begins at \(subscriptions[index].last.purchaseAt)")
    }
  }
}
