// Reads objects in the form of the App Store Server API: keys in camel case, dates in milliseconds.

extension TransactionFields {
  /// Reads the fields of Apple's JWSTransactionDecodedPayload.
  init(signed reader: inout FieldReader) {
    self.init()
    bundleID = reader.text("bundleId")
    webOrderLineItemID = reader.identifier("webOrderLineItemId")
    productID = reader.text("productId")
    subscriptionGroupIdentifier = reader.text("subscriptionGroupIdentifier")
    purchaseAt = reader.instant("purchaseDate")
    originalPurchaseAt = reader.instant("originalPurchaseDate")
    expiresAt = reader.instant("expiresDate")
    revokedAt = reader.instant("revocationDate")
    revocationReason = reader.integer("revocationReason")
    revocationType = reader.text("revocationType")
    revocationPercentage = reader.integer("revocationPercentage")
    isUpgraded = reader.flag("isUpgraded")
    quantity = reader.quantity("quantity")
    type = reader.text("type")
    inAppOwnershipType = reader.text("inAppOwnershipType")
    appAccountToken = reader.identifier("appAccountToken").map(AccountToken.normalized)
    appTransactionID = reader.identifier("appTransactionId")
    offerType = reader.integer("offerType")
    offerIdentifier = reader.text("offerIdentifier")
    offerDiscountType = reader.text("offerDiscountType")
    offerPeriod = reader.text("offerPeriod")
    isTrialPeriod = offerDiscountType.map { $0 == "FREE_TRIAL" }
    isInIntroOfferPeriod = offerType.map { $0 == 1 }
    transactionReason = reader.text("transactionReason")
    storefront = reader.text("storefront")
    storefrontID = reader.text("storefrontId")
    price = reader.amount("price")
    currency = reader.text("currency")
    billingPlanType = reader.text("billingPlanType")
    previousOriginalTransactionID = reader.identifier("previousOriginalTransactionId")
    if let commitment = reader.object["commitmentInfo"], commitment.isObject {
      var inner = FieldReader(commitment)
      commitmentBillingPeriodNumber = inner.integer("billingPeriodNumber")
      commitmentTotalBillingPeriods = inner.integer("totalBillingPeriods")
      commitmentPrice = inner.amount("commitmentPrice")
      commitmentExpiresAt = inner.instant("commitmentExpiresDate")
      reader.problems += inner.problems
    }
    let before = reader.problems.count
    seats = TransactionSeatFields(signed: &reader, quantity: quantity)
    if reader.problems.count == before { noteMissingPriceTiers(&reader) }
  }

  /// Notes a problem if the total of a subscription with several seats is not stated. The price is only their average.
  private func noteMissingPriceTiers(_ reader: inout FieldReader) {
    guard expiresAt != nil, let quantity, quantity > 1, seats?.priceTiers.isEmpty ?? true,
      inAppOwnershipType == nil || inAppOwnershipType == "PURCHASED", let price = reader.object["price"]
    else { return }
    reader.note(.missingPriceTiers, at: price)
  }
}

extension RenewalFields {
  /// Reads the fields of Apple's JWSRenewalInfoDecodedPayload.
  init(signed reader: inout FieldReader) {
    self.init()
    productID = reader.text("productId")
    autoRenewProductID = reader.text("autoRenewProductId")
    autoRenewStatus = reader.flag("autoRenewStatus")
    expirationIntent = reader.integer("expirationIntent")
    isInBillingRetryPeriod = reader.flag("isInBillingRetryPeriod")
    gracePeriodExpiresAt = reader.instant("gracePeriodExpiresDate")
    priceIncreaseStatus = reader.integer("priceIncreaseStatus")
    offerType = reader.integer("offerType")
    offerIdentifier = reader.text("offerIdentifier")
    offerDiscountType = reader.text("offerDiscountType")
    offerPeriod = reader.text("offerPeriod")
    renewalAt = reader.instant("renewalDate")
    renewalPrice = reader.amount("renewalPrice")
    currency = reader.text("currency")
    recentSubscriptionStartAt = reader.instant("recentSubscriptionStartDate")
    eligibleWinBackOfferIDs = reader.sourceText("eligibleWinBackOfferIds")
    appAccountToken = reader.identifier("appAccountToken").map(AccountToken.normalized)
    appTransactionID = reader.identifier("appTransactionId")
    renewalBillingPlanType = reader.text("renewalBillingPlanType")
    if let commitment = reader.object["commitmentInfo"], commitment.isObject {
      var inner = FieldReader(commitment)
      commitmentAutoRenewProductID = inner.text("commitmentAutoRenewProductId")
      commitmentAutoRenewStatus = inner.flag("commitmentAutoRenewStatus")
      commitmentRenewalBillingPlanType = inner.text("commitmentRenewalBillingPlanType")
      commitmentRenewalAt = inner.instant("commitmentRenewalDate")
      commitmentRenewalPrice = inner.amount("commitmentRenewalPrice")
      reader.problems += inner.problems
    }
    seats = RenewalSeatFields(signed: &reader)
  }
}

extension AppTransactionFields {
  /// Reads the fields of Apple's JWSAppTransactionDecodedPayload.
  init(signed reader: inout FieldReader) {
    self.init()
    appTransactionID = reader.identifier("appTransactionId")
    bundleID = reader.text("bundleId")
    appAppleID = reader.text("appAppleId")
    applicationVersion = reader.text("applicationVersion")
    originalApplicationVersion = reader.text("originalApplicationVersion")
    originalPurchaseAt = reader.instant("originalPurchaseDate")
    preorderAt = reader.instant("preorderDate")
    originalPlatform = reader.text("originalPlatform")
  }
}
