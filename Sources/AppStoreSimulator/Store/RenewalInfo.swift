import AppStore

/// The next renewal of a line, as Apple states it at an instant.
struct RenewalInfo: Sendable {
  let originalID: Int64
  let account: Int
  let product: Int
  let nextProduct: Int
  let autoRenews: Bool
  let autoRenewChangedAt: Instant?
  let expirationIntent: Int64?
  /// `nil` where no payment has failed since the last purchase.
  let isRetrying: Bool?
  let graceEndsAt: Instant?
  /// `priceIncreaseStatus`: 0 not answered, 1 agreed or told.
  let priceIncreaseStatus: Int64?
  let priceNeedsConsent: Bool
  /// The offer of the next period.
  let offer: OfferTerms?
  let recentStartAt: Instant
  let renewsAt: Instant?
  let renewalPrice: Int64?
  let winBackOffers: [String]
  let nextIsBilledMonthly: Bool
  /// The year that is billed by the month, where it is, and whether it is renewed.
  let commitment: Commitment?
  let commitmentRenews: Bool
}

extension SimulatedStore {
  /// What Apple states of a line's next renewal now.
  func renewalInfo(of place: Int) -> RenewalInfo {
    let line = lines[place]
    let running = line.current(at: clock)
    let autoRenews = line.sharedFrom.map { !line.isDetached && lines[$0].autoRenews } ?? line.autoRenews
    let renews = autoRenews && line.state != .expired && line.state != .revoked
    let offer = renews ? line.offers.first?.terms : nil
    let isShared = line.sharedFrom != nil
    let winBacks =
      line.state == .expired && !isShared
      ? assortment.products[running.product].offers.filter { $0.type == 4 }.compactMap(\.identifier) : []
    return RenewalInfo(
      originalID: line.id, account: line.account, product: running.product, nextProduct: line.nextProduct,
      autoRenews: autoRenews, autoRenewChangedAt: line.autoRenewChangedAt,
      expirationIntent: line.expirationIntent,
      isRetrying: line.isRetrying ? true : line.expirationIntent == nil ? nil : false, graceEndsAt: line.graceEndsAt,
      priceIncreaseStatus: line.priceIncrease.map { $0.isAgreed || !$0.needsConsent ? 1 : 0 },
      priceNeedsConsent: line.priceIncrease?.needsConsent ?? false, offer: offer, recentStartAt: line.recentStartAt,
      renewsAt: renews ? line.last.expiresAt : nil,
      renewalPrice: renews && !isShared ? priceOfNextPeriod(line, offer: offer) : nil, winBackOffers: winBacks,
      nextIsBilledMonthly: line.nextIsBilledMonthly, commitment: running.commitment,
      commitmentRenews: line.commitmentRenews)
  }

  /// What the next period will cost, in milliunits.
  func priceOfNextPeriod(_ line: OriginalTransaction, offer: OfferTerms?) -> Int64 {
    if let offer { return price(of: offer, for: line.nextProduct, in: accounts[line.account].territory) }
    if let raised = line.priceIncrease, raised.isAgreed || !raised.needsConsent { return raised.price }
    return price(of: line)
  }

  /// What a period of the product that comes next costs without an offer.
  func price(of line: OriginalTransaction) -> Int64 {
    if let price = line.price, line.nextProduct == line.last.product { return price }
    return assortment.products[line.nextProduct].price(
      in: accounts[line.account].territory, billedMonthly: line.nextIsBilledMonthly)
  }

  /// What one transaction of an offer costs.
  func price(of offer: OfferTerms, for product: Int, in territory: Territory) -> Int64 {
    let currency = assortment.products[product].prices.first?.currency ?? "USD"
    return territory.price(from: offer.milliunits, in: currency)
  }
}
