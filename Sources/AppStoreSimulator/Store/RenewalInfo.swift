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
    let line = lines[index]
    let running = line.current(at: clock)
    let autoRenews = line.sharedFrom.map { !line.isDetached && lines[$0].autoRenews } ?? line.autoRenews
    let renews = autoRenews && line.state != .expired && line.state != .revoked
    let offer = renews ? line.offers.first?.terms : nil
    let isShared = line.sharedFrom != nil
    let winBacks =
      line.state == .expired && !isShared
      ? assortment.products[running.product].offers.filter { $0.type == 4 }.compactMap(\.identifier) : []
    let single = priceOfNextPeriod(line, offer: offer)
    let seats = line.seating.map { Seats($0.next, of: $0.management, price: single) }
    return RenewalInfo(
      originalID: line.id, account: line.account, appAccountToken: appAccountToken(of: line.last),
      product: running.product, nextProduct: line.nextProduct, autoRenews: autoRenews,
      autoRenewChangedAt: line.autoRenewChangedAt,
      expirationIntent: line.expirationIntent,
      isRetrying: line.isRetrying ? true : line.expirationIntent == nil ? nil : false, graceEndsAt: line.graceEndsAt,
      priceIncreaseStatus: line.priceIncrease.map { $0.isAgreed || !$0.needsConsent ? 1 : 0 },
      priceNeedsConsent: line.priceIncrease?.needsConsent ?? false, offer: offer, recentStartAt: line.recentStartAt,
      renewsAt: renews ? line.last.expiresAt : nil,
      renewalPrice: renews && !isShared ? seats?.average ?? single : nil, winBackOffers: winBacks,
      nextIsBilledMonthly: line.nextIsBilledMonthly, commitment: running.commitment,
      commitmentRenews: line.commitmentRenews, seats: renews ? seats : nil)
  }

  /// Returns the price of the next period, in milliunits of the account's currency.
  func priceOfNextPeriod(_ line: OriginalTransaction, offer: OfferTerms?) -> Int64 {
    if let offer { return price(of: offer, for: line.nextProduct, in: accounts[line.account].territory) }
    if let raised = line.priceIncrease, raised.isAgreed || !raised.needsConsent { return raised.price }
    return price(of: line)
  }

  /// Returns the price of the next period without an offer, in milliunits of the account's currency.
  func price(of line: OriginalTransaction) -> Int64 {
    if let price = line.price, line.nextProduct == line.last.product { return price }
    return assortment.products[line.nextProduct].price(
      in: accounts[line.account].territory, billedMonthly: line.nextIsBilledMonthly)
  }

  /// Returns the price of one transaction with an offer, in milliunits of the territory's currency.
  func price(of offer: OfferTerms, for product: Int, in territory: Territory) -> Int64 {
    let currency = assortment.products[product].prices.first?.currency ?? "USD"
    return territory.price(from: offer.milliunits, in: currency)
  }
}
