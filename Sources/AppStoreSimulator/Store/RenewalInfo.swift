import AppStore

/// The renewal info of a subscription, as Apple states it at one instant.
struct RenewalInfo: Sendable {
  let originalID: Int64
  let account: Int
  let appAccountToken: String?
  let product: Int
  let nextProduct: Int
  let autoRenews: Bool
  let autoRenewChangedAt: Instant?
  let expirationIntent: Int64?
  /// Whether Apple retries a payment; `nil` while no expiration intent is set.
  let isRetrying: Bool?
  let graceEndsAt: Instant?
  /// Apple's `priceIncreaseStatus`: 0 while the customer has not answered, 1 after consent or where none is needed.
  let priceIncreaseStatus: Int64?
  let priceNeedsConsent: Bool
  /// The offer that applies to the next period.
  let offer: OfferTerms?
  let recentStartAt: Instant
  let renewsAt: Instant?
  let renewalPrice: Int64?
  let winBackOffers: [String]
  let nextIsBilledMonthly: Bool
  /// The year that is billed by the month; `nil` for other purchases. ``commitmentRenews`` states whether it renews.
  let commitment: Commitment?
  let commitmentRenews: Bool
  /// The seats of the next period, and their prices; `nil` for one person, or where nothing renews.
  let seats: Seats?
}

extension SimulatedStore {
  /// Returns the renewal info that Apple states for a subscription now.
  func renewalInfo(of index: Int) -> RenewalInfo {
    let subscription = subscriptions[index]
    let running = subscription.current(at: clock)
    let autoRenews =
      subscription.sharedFrom.map { !subscription.isDetached && subscriptions[$0].autoRenews }
      ?? subscription.autoRenews
    let renews = autoRenews && subscription.state != .expired && subscription.state != .revoked
    let offer = renews ? subscription.offers.first?.terms : nil
    let isShared = subscription.sharedFrom != nil
    let winBacks =
      subscription.state == .expired && !isShared
      ? catalog.products[running.product].offers.filter { $0.type == 4 }.compactMap(\.identifier) : []
    let single = priceOfNextPeriod(subscription, offer: offer)
    let seats = subscription.seating.map { Seats($0.next, of: $0.management, price: single) }
    return RenewalInfo(
      originalID: subscription.id, account: subscription.account,
      appAccountToken: appAccountToken(of: subscription.last),
      product: running.product, nextProduct: subscription.nextProduct, autoRenews: autoRenews,
      autoRenewChangedAt: subscription.autoRenewChangedAt,
      expirationIntent: subscription.expirationIntent,
      isRetrying: subscription.isRetrying ? true : subscription.expirationIntent == nil ? nil : false,
      graceEndsAt: subscription.graceEndsAt,
      priceIncreaseStatus: subscription.priceIncrease.map { $0.isAgreed || !$0.needsConsent ? 1 : 0 },
      priceNeedsConsent: subscription.priceIncrease?.needsConsent ?? false, offer: offer,
      recentStartAt: subscription.recentStartAt,
      renewsAt: renews ? subscription.last.expiresAt : nil,
      renewalPrice: renews && !isShared ? seats?.average ?? single : nil, winBackOffers: winBacks,
      nextIsBilledMonthly: subscription.nextIsBilledMonthly, commitment: running.commitment,
      commitmentRenews: subscription.commitmentRenews, seats: renews ? seats : nil)
  }

  /// Returns the price of the next period, in milliunits of the account's currency.
  func priceOfNextPeriod(_ subscription: OriginalTransaction, offer: OfferTerms?) -> Int64 {
    if let offer {
      return price(of: offer, for: subscription.nextProduct, in: accounts[subscription.account].territory)
    }
    if let raised = subscription.priceIncrease, raised.isAgreed || !raised.needsConsent { return raised.price }
    return price(of: subscription)
  }

  /// Returns the price of the next period without an offer, in milliunits of the account's currency.
  func price(of subscription: OriginalTransaction) -> Int64 {
    if let price = subscription.price, subscription.nextProduct == subscription.last.product { return price }
    return catalog.products[subscription.nextProduct].price(
      in: accounts[subscription.account].territory, billedMonthly: subscription.nextIsBilledMonthly)
  }

  /// Returns the price of one transaction with an offer, in milliunits of the territory's currency.
  func price(of offer: OfferTerms, for product: Int, in territory: Territory) -> Int64 {
    let currency = catalog.products[product].prices.first?.currency ?? "USD"
    return territory.price(from: offer.milliunits, in: currency)
  }
}
