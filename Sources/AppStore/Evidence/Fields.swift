// The typed columns: Apple's field names in camel case, instants as `…At`, money in milliunits of `currency`.
// `nil` always means that Apple did not say.

/// What a transaction says (JWSTransactionDecodedPayload; a row of `latest_receipt_info` or `in_app`).
public struct TransactionFields: Sendable, Equatable {
  /// `bundleId`.
  public var bundleID: String?
  /// `webOrderLineItemId`: identifies a purchase of a subscription across restores.
  public var webOrderLineItemID: String?
  /// `productId`.
  public var productID: String?
  /// `subscriptionGroupIdentifier`.
  public var subscriptionGroupIdentifier: String?
  /// `purchaseDate`.
  public var purchaseAt: Instant?
  /// `originalPurchaseDate`.
  public var originalPurchaseAt: Instant?
  /// `expiresDate`; `nil` for what does not expire by itself.
  public var expiresAt: Instant?
  /// `revocationDate` / `cancellation_date`.
  public var revokedAt: Instant?
  /// `revocationReason` / `cancellation_reason`: 0 is a value.
  public var revocationReason: Int64?
  /// `revocationType`.
  public var revocationType: String?
  /// `revocationPercentage`: 0 to 100000, thousandths of a percent.
  public var revocationPercentage: Int64?
  /// `isUpgraded`.
  public var isUpgraded: Bool?
  /// `quantity`.
  public var quantity: Int64?
  /// `type`, such as `Auto-Renewable Subscription`.
  public var type: String?
  /// `inAppOwnershipType`.
  public var inAppOwnershipType: String?
  /// `appAccountToken`.
  public var appAccountToken: String?
  /// `appTransactionId`.
  public var appTransactionID: String?
  /// `is_trial_period`; of a JWS, whether `offerDiscountType` is `FREE_TRIAL`.
  public var isTrialPeriod: Bool?
  /// `is_in_intro_offer_period`; of a JWS, whether `offerType` is 1.
  public var isInIntroOfferPeriod: Bool?
  /// `offerType`: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
  public var offerType: Int64?
  /// `offerIdentifier` / `promotional_offer_id` / `offer_code_ref_name`.
  public var offerIdentifier: String?
  /// `offerDiscountType`.
  public var offerDiscountType: String?
  /// `offerPeriod`, an ISO 8601 duration.
  public var offerPeriod: String?
  /// `transactionReason`.
  public var transactionReason: String?
  /// `storefront`, a three-letter country code.
  public var storefront: String?
  /// `storefrontId`.
  public var storefrontID: String?
  /// `price`, in milliunits of ``currency``.
  public var priceMilliunits: Int64?
  /// `currency`, ISO 4217.
  public var currency: String?
  /// `billingPlanType`.
  public var billingPlanType: String?
  /// `commitmentInfo.billingPeriodNumber`.
  public var commitmentBillingPeriodNumber: Int64?
  /// `commitmentInfo.totalBillingPeriods`.
  public var commitmentTotalBillingPeriods: Int64?
  /// `commitmentInfo.commitmentPrice`, in milliunits.
  public var commitmentPriceMilliunits: Int64?
  /// `commitmentInfo.commitmentExpiresDate`.
  public var commitmentExpiresAt: Instant?
  /// `previousOriginalTransactionId`.
  public var previousOriginalTransactionID: String?

  init() {}
}

/// What a renewal info says (JWSRenewalInfoDecodedPayload; a row of `pending_renewal_info`; V1's top level).
public struct RenewalFields: Sendable, Equatable {
  /// `productId`: the product now.
  public var productID: String?
  /// `autoRenewProductId`: the product next.
  public var autoRenewProductID: String?
  /// `autoRenewStatus`: whether it will renew.
  public var autoRenewStatus: Bool?
  /// `expirationIntent`, 1 to 5.
  public var expirationIntent: Int64?
  /// `isInBillingRetryPeriod`.
  public var isInBillingRetryPeriod: Bool?
  /// `gracePeriodExpiresDate`.
  public var gracePeriodExpiresAt: Instant?
  /// `auto_renew_status_change_date` (V1).
  public var autoRenewStatusChangedAt: Instant?
  /// `priceIncreaseStatus`.
  public var priceIncreaseStatus: Int64?
  /// `price_consent_status`.
  public var priceConsentStatus: Int64?
  /// `offerType`.
  public var offerType: Int64?
  /// `offerIdentifier`.
  public var offerIdentifier: String?
  /// `offerDiscountType`.
  public var offerDiscountType: String?
  /// `offerPeriod`.
  public var offerPeriod: String?
  /// `renewalDate`.
  public var renewalAt: Instant?
  /// `renewalPrice`, in milliunits of ``currency``.
  public var renewalPriceMilliunits: Int64?
  /// `currency`.
  public var currency: String?
  /// `recentSubscriptionStartDate`.
  public var recentSubscriptionStartAt: Instant?
  /// `eligibleWinBackOfferIds`, as its JSON text.
  public var eligibleWinBackOfferIDs: String?
  /// `appAccountToken`.
  public var appAccountToken: String?
  /// `appTransactionId`.
  public var appTransactionID: String?
  /// `renewalBillingPlanType`.
  public var renewalBillingPlanType: String?
  /// `commitmentInfo.commitmentAutoRenewProductId`.
  public var commitmentAutoRenewProductID: String?
  /// `commitmentInfo.commitmentAutoRenewStatus`.
  public var commitmentAutoRenewStatus: Bool?
  /// `commitmentInfo.commitmentRenewalBillingPlanType`.
  public var commitmentRenewalBillingPlanType: String?
  /// `commitmentInfo.commitmentRenewalDate`.
  public var commitmentRenewalAt: Instant?
  /// `commitmentInfo.commitmentRenewalPrice`, in milliunits.
  public var commitmentRenewalPriceMilliunits: Int64?

  init() {}
}

/// What an app transaction says (JWSAppTransactionDecodedPayload).
public struct AppTransactionFields: Sendable, Equatable {
  /// `appTransactionId`.
  public var appTransactionID: String?
  /// `bundleId`.
  public var bundleID: String?
  /// `appAppleId`.
  public var appAppleID: String?
  /// `applicationVersion`.
  public var applicationVersion: String?
  /// `originalApplicationVersion`.
  public var originalApplicationVersion: String?
  /// `originalPurchaseDate`: Apple's value, not always the first download that a customer remembers.
  public var originalPurchaseAt: Instant?
  /// `preorderDate`.
  public var preorderAt: Instant?
  /// `originalPlatform`.
  public var originalPlatform: String?

  init() {}
}

/// What a notification says beside its transaction and renewal info.
public struct NotificationFields: Sendable, Equatable {
  /// `notificationType` / `notification_type`.
  public var type: String
  /// `subtype`.
  public var subtype: String?
  /// `notificationUUID`; V1 has none.
  public var uuid: String?
  /// `version`.
  public var version: String?
  /// The line it is about, where it says.
  public var originalTransactionID: String?
  /// `data.consumptionRequestReason`.
  public var consumptionRequestReason: String?
  /// `data.bundleVersion` / `bvrs`.
  public var bundleVersion: String?
  /// `externalPurchaseToken.externalPurchaseId`.
  public var externalPurchaseID: String?
  /// `externalPurchaseToken.tokenType`.
  public var externalPurchaseTokenType: String?
  /// `externalPurchaseToken.tokenCreationDate`.
  public var externalPurchaseTokenCreatedAt: Instant?
  /// `externalPurchaseToken.tokenExpirationDate`.
  public var externalPurchaseTokenExpiresAt: Instant?
  /// `summary.requestIdentifier`.
  public var requestIdentifier: String?
  /// `summary.productId`.
  public var summaryProductID: String?
  /// `summary.succeededCount`.
  public var succeededCount: Int64?
  /// `summary.failedCount`.
  public var failedCount: Int64?

  init(type: String) { self.type = type }
}
