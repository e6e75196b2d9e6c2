import AppStore

/// An encoder of Apple's messages about a simulated store in its present state.
struct ResponseEncoder {
  let store: SimulatedStore
  /// The signer; `nil` where no requested format is signed.
  let signer: Signer?

  var catalog: Catalog { store.catalog }
  /// Apple's `environment`, as the Server API writes it.
  var environment: String { store.rate.environment.name }
  /// The app's version: `bundleVersion`, `bvrs` and `application_version`.
  static let bundleVersion = "42"

  /// Returns a compact JWS of a payload.
  func signed(_ payload: [UInt8]) throws -> [UInt8] {
    guard let signer else { throw MissingSigner() }
    return try signer.sign(payload)
  }

  /// The error for a signed format without a signer.
  struct MissingSigner: Error {}

  /// Returns a JWSTransactionDecodedPayload, with its members in Apple's order.
  func payload(_ transaction: Transaction, at instant: Instant) -> [UInt8] {
    let product = catalog.products[transaction.product]
    let account = store.accounts[transaction.account]
    var text = JSONWriter()
    text.add("transactionId", String(transaction.id))
    text.add("originalTransactionId", String(transaction.originalID))
    text.add("webOrderLineItemId", transaction.webOrderLineItemID.map { String($0) })
    text.add("bundleId", catalog.bundleID)
    text.add("productId", product.id)
    text.add("subscriptionGroupIdentifier", product.group)
    text.add("purchaseDate", transaction.purchaseAt)
    text.add("originalPurchaseDate", transaction.originalPurchaseAt)
    text.add("expiresDate", transaction.expiresAt)
    text.add("quantity", transaction.seats?.quantity ?? 1)
    text.add("type", product.type.rawValue)
    text.add("appAccountToken", store.appAccountToken(of: transaction))
    text.add("inAppOwnershipType", transaction.ownership)
    text.add("signedDate", instant)
    if let revocation = transaction.revocation {
      text.add("revocationReason", revocation.reason)
      text.add("revocationDate", revocation.at)
      text.add("revocationType", revocation.type)
      text.add("revocationPercentage", revocation.percentage)
    }
    if transaction.upgradedAt != nil { text.add("isUpgraded", true) }
    add(transaction.offer, to: &text)
    text.add("environment", environment)
    text.add("transactionReason", transaction.isRenewal ? "RENEWAL" : "PURCHASE")
    text.add("storefront", account.territory.code)
    text.add("storefrontId", account.territory.id)
    if let price = transaction.price {
      text.add("price", price)
      text.add("currency", account.territory.currency)
    }
    text.add("appTransactionId", String(account.appTransactionID))
    add(transaction.seats, to: &text)
    if let commitment = transaction.commitment {
      text.add("billingPlanType", "MONTHLY")
      var info = JSONWriter()
      info.add("billingPeriodNumber", commitment.number)
      info.add("totalBillingPeriods", Commitment.total)
      info.add("commitmentPrice", transaction.price.map { $0 * Commitment.total })
      info.add("commitmentExpiresDate", commitment.expiresAt)
      text.add("commitmentInfo", json: info.finished)
    } else if product.isBilledMonthly {
      text.add("billingPlanType", "BILLED_UPFRONT")
    }
    return text.finished
  }

  private func add(_ seats: Seats?, to text: inout JSONWriter) {
    guard let seats else { return }
    if seats.isOneOfSeveral { text.add("additionalTransactionReason", "SEAT_ADDITION") }
    var info = JSONWriter()
    info.add("invitationManagement", seats.management.rawValue)
    info.add("priceTiers", json: priceTiers(seats.tiers))
    if seats.revoked > 0 { info.add("revokedSeatQuantity", seats.revoked) }
    text.add("multiSeatInfo", json: info.finished)
  }

  private func priceTiers(_ tiers: [Seats.Tier]) -> [UInt8] {
    JSONWriter.array(
      tiers.map { tier in
        var text = JSONWriter()
        text.add("price", tier.price)
        text.add("quantity", tier.quantity)
        return text.finished
      })
  }

  private func add(_ offer: OfferTerms?, to text: inout JSONWriter) {
    guard let offer else { return }
    text.add("offerType", offer.type)
    text.add("offerIdentifier", offer.identifier)
    text.add("offerDiscountType", offer.discountType)
    text.add("offerPeriod", offer.period.description)
  }

  /// Returns a JWSRenewalInfoDecodedPayload, with its members in Apple's order.
  func payload(_ renewal: RenewalInfo, at instant: Instant) -> [UInt8] {
    let account = store.accounts[renewal.account]
    let next = catalog.products[renewal.nextProduct]
    var text = JSONWriter()
    text.add("expirationIntent", renewal.expirationIntent)
    text.add("originalTransactionId", String(renewal.originalID))
    text.add("autoRenewProductId", next.id)
    text.add("productId", catalog.products[renewal.product].id)
    text.add("autoRenewStatus", renewal.autoRenews ? 1 : 0)
    if let isRetrying = renewal.isRetrying { text.add("isInBillingRetryPeriod", isRetrying) }
    text.add("priceIncreaseStatus", renewal.priceIncreaseStatus)
    text.add("gracePeriodExpiresDate", renewal.graceEndsAt)
    add(renewal.offer, to: &text)
    text.add("signedDate", instant)
    text.add("environment", environment)
    text.add("recentSubscriptionStartDate", renewal.recentStartAt)
    text.add("renewalDate", renewal.renewsAt)
    if let price = renewal.renewalPrice {
      text.add("renewalPrice", price)
      text.add("currency", account.territory.currency)
    }
    if !renewal.winBackOffers.isEmpty {
      text.add(
        "eligibleWinBackOfferIds", json: JSONWriter.array(renewal.winBackOffers.map { JSONWriter.quoted($0.utf8) }))
    }
    text.add("appAccountToken", renewal.appAccountToken)
    text.add("appTransactionId", String(account.appTransactionID))
    if let seats = renewal.seats {
      text.add("renewalQuantity", seats.quantity)
      var info = JSONWriter()
      info.add("invitationManagement", seats.management.rawValue)
      info.add("renewalPriceTiers", json: priceTiers(seats.tiers))
      text.add("multiSeatInfo", json: info.finished)
    }
    if let commitment = renewal.commitment {
      text.add("renewalBillingPlanType", renewal.nextIsBilledMonthly ? "MONTHLY" : "BILLED_UPFRONT")
      var info = JSONWriter()
      info.add("commitmentAutoRenewProductId", next.id)
      info.add("commitmentAutoRenewStatus", renewal.commitmentRenews ? 1 : 0)
      info.add("commitmentRenewalBillingPlanType", "MONTHLY")
      info.add("commitmentRenewalDate", commitment.expiresAt)
      info.add("commitmentRenewalPrice", renewal.renewalPrice.map { $0 * Commitment.total })
      text.add("commitmentInfo", json: info.finished)
    }
    return text.finished
  }
}
