// The typed columns. Names are Apple's field names in camel case, instants end in `At`, and money is in milliunits of
// `currency`. `nil` always means that Apple did not state a value.

/// The fields of a transaction (JWSTransactionDecodedPayload, or a row of `latest_receipt_info` or `in_app`).
public struct TransactionFields: Sendable, Equatable {
  /// The bundle id of the app, `bundleId`.
  public var bundleID: String?
  /// Apple's `webOrderLineItemId`, which identifies a purchase of a subscription across restores.
  public var webOrderLineItemID: String?
  /// The id of the product, `productId`.
  public var productID: String?
  /// The id of the product's subscription group, `subscriptionGroupIdentifier`.
  public var subscriptionGroupIdentifier: String?
  /// The instant of the purchase or renewal, `purchaseDate`.
  public var purchaseAt: Instant?
  /// The instant of the original purchase, `originalPurchaseDate`.
  public var originalPurchaseAt: Instant?
  /// The end of the period, `expiresDate`; `nil` for a purchase that does not expire by itself.
  public var expiresAt: Instant?
  /// The instant of the refund or revocation, `revocationDate` or `cancellation_date`.
  public var revokedAt: Instant?
  /// Apple's `revocationReason` or `cancellation_reason`: 1 an issue with the app, 0 another reason.
  public var revocationReason: Int64?
  /// The kind of refund or revocation, `revocationType`.
  public var revocationType: String?
  /// The refunded share, `revocationPercentage`: 0 to 100000 thousandths of a percent.
  public var revocationPercentage: Int64?
  /// Whether the customer upgraded to another product, `isUpgraded`.
  public var isUpgraded: Bool?
  /// The number of items bought, `quantity`: of a subscription the number of seats.
  public var quantity: Int64?
  /// The kind of product, `type`, such as `Auto-Renewable Subscription`.
  public var type: String?
  /// Whether the customer bought it or shares it, `inAppOwnershipType`.
  public var inAppOwnershipType: String?
  /// The app's own token for its user, `appAccountToken`.
  public var appAccountToken: String?
  /// The id of the app transaction, `appTransactionId`.
  public var appTransactionID: String?
  /// Whether this is a free trial: `is_trial_period`, or in a JWS an `offerDiscountType` of `FREE_TRIAL`.
  public var isTrialPeriod: Bool?
  /// Whether this is an introductory offer: `is_in_intro_offer_period`, or in a JWS an `offerType` of 1.
  public var isInIntroOfferPeriod: Bool?
  /// Apple's `offerType`: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
  public var offerType: Int64?
  /// The id of the offer: `offerIdentifier`, `promotional_offer_id` or `offer_code_ref_name`.
  public var offerIdentifier: String?
  /// The payment mode of the offer, `offerDiscountType`.
  public var offerDiscountType: String?
  /// The duration of the offer, `offerPeriod`, in ISO 8601.
  public var offerPeriod: String?
  /// Whether this is a purchase or a renewal, `transactionReason`.
  public var transactionReason: String?
  /// The country or region, `storefront`, as a three-letter code.
  public var storefront: String?
  /// Apple's id of the storefront, `storefrontId`.
  public var storefrontID: String?
  /// The `price`, in milliunits of ``currency``.
  public var price: Milliunits?
  /// The `currency` of the price, as an ISO 4217 code.
  public var currency: String?
  /// The billing plan of the subscription, `billingPlanType`.
  public var billingPlanType: String?
  /// The number of the billing period in its commitment, `commitmentInfo.billingPeriodNumber`.
  public var commitmentBillingPeriodNumber: Int64?
  /// The number of billing periods of the commitment, `commitmentInfo.totalBillingPeriods`.
  public var commitmentTotalBillingPeriods: Int64?
  /// The price of the commitment, `commitmentInfo.commitmentPrice`, in milliunits of ``currency``.
  public var commitmentPrice: Milliunits?
  /// The end of the commitment, `commitmentInfo.commitmentExpiresDate`.
  public var commitmentExpiresAt: Instant?
  /// The original transaction id before this one, `previousOriginalTransactionId`.
  public var previousOriginalTransactionID: String?
  /// What Apple states about seats; `nil` if it states nothing.
  public var seats: TransactionSeatFields?

  init() {}
}

/// The fields of a renewal info (JWSRenewalInfoDecodedPayload, a row of `pending_renewal_info`, or V1's top level).
public struct RenewalFields: Sendable, Equatable {
  /// The id of the current product, `productId`.
  public var productID: String?
  /// The id of the product of the next renewal, `autoRenewProductId`.
  public var autoRenewProductID: String?
  /// Whether the subscription is set to renew, `autoRenewStatus`.
  public var autoRenewStatus: Bool?
  /// Why the subscription expired, `expirationIntent`: 1 to 5.
  public var expirationIntent: Int64?
  /// Whether Apple is trying to charge a failed payment again, `isInBillingRetryPeriod`.
  public var isInBillingRetryPeriod: Bool?
  /// The end of the grace period, `gracePeriodExpiresDate`.
  public var gracePeriodExpiresAt: Instant?
  /// The instant of the last change of auto-renewal, V1's `auto_renew_status_change_date`.
  public var autoRenewStatusChangedAt: Instant?
  /// The customer's reaction to a price increase, `priceIncreaseStatus`.
  public var priceIncreaseStatus: Int64?
  /// Whether the customer consented to a price increase, `price_consent_status`.
  public var priceConsentStatus: Int64?
  /// Apple's `offerType`: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
  public var offerType: Int64?
  /// The id of the offer, `offerIdentifier`.
  public var offerIdentifier: String?
  /// The payment mode of the offer, `offerDiscountType`.
  public var offerDiscountType: String?
  /// The duration of the offer, `offerPeriod`, in ISO 8601.
  public var offerPeriod: String?
  /// The instant of the next renewal, `renewalDate`.
  public var renewalAt: Instant?
  /// The price of the next renewal, `renewalPrice`, in milliunits of ``currency``.
  public var renewalPrice: Milliunits?
  /// The `currency` of the price, as an ISO 4217 code.
  public var currency: String?
  /// The start of the customer's latest series of purchases, `recentSubscriptionStartDate`. Apple ignores lapses
  /// shorter than 60 days.
  public var recentSubscriptionStartAt: Instant?
  /// The win-back offers open to the customer, `eligibleWinBackOfferIds`, as JSON text.
  public var eligibleWinBackOfferIDs: String?
  /// The app's own token for its user, `appAccountToken`.
  public var appAccountToken: String?
  /// The id of the app transaction, `appTransactionId`.
  public var appTransactionID: String?
  /// The billing plan of the next renewal, `renewalBillingPlanType`.
  public var renewalBillingPlanType: String?
  /// The id of the product after the commitment, `commitmentInfo.commitmentAutoRenewProductId`.
  public var commitmentAutoRenewProductID: String?
  /// Whether the commitment is set to renew, `commitmentInfo.commitmentAutoRenewStatus`.
  public var commitmentAutoRenewStatus: Bool?
  /// The billing plan of the next commitment, `commitmentInfo.commitmentRenewalBillingPlanType`.
  public var commitmentRenewalBillingPlanType: String?
  /// The instant at which the commitment renews, `commitmentInfo.commitmentRenewalDate`.
  public var commitmentRenewalAt: Instant?
  /// The price of the next commitment, `commitmentInfo.commitmentRenewalPrice`, in milliunits of ``currency``.
  public var commitmentRenewalPrice: Milliunits?
  /// What Apple states about the seats at the next renewal; `nil` if it states nothing.
  public var seats: RenewalSeatFields?

  init() {}
}

/// The fields of an app transaction (JWSAppTransactionDecodedPayload).
public struct AppTransactionFields: Sendable, Equatable {
  /// The id of the app transaction, `appTransactionId`.
  public var appTransactionID: String?
  /// The bundle id of the app, `bundleId`.
  public var bundleID: String?
  /// The app's App Store id, `appAppleId`.
  public var appAppleID: String?
  /// The version of the app now, `applicationVersion`.
  public var applicationVersion: String?
  /// The version of the app at the original purchase, `originalApplicationVersion`.
  public var originalApplicationVersion: String?
  /// Apple's `originalPurchaseDate`. It is not always the first download that a customer remembers.
  public var originalPurchaseAt: Instant?
  /// The instant of the preorder, `preorderDate`.
  public var preorderAt: Instant?
  /// The platform of the original purchase, `originalPlatform`.
  public var originalPlatform: String?

  init() {}
}

/// The fields of a notification beside its transaction and renewal info.
public struct NotificationFields: Sendable, Equatable {
  /// The notification's type, `notificationType` or `notification_type`.
  public var type: String
  /// The notification's subtype, `subtype`.
  public var subtype: String?
  /// The notification's id, `notificationUUID`; V1 notifications have none.
  public var uuid: String?
  /// The version of the notification format, `version`.
  public var version: String?
  /// The original transaction id that the notification is about, if it is known.
  public var originalTransactionID: String?
  /// Why the customer asked for a refund, `data.consumptionRequestReason`.
  public var consumptionRequestReason: String?
  /// The build of the app, `data.bundleVersion` or V1's `bvrs`.
  public var bundleVersion: String?
  /// The id of an external purchase token, `externalPurchaseToken.externalPurchaseId`.
  public var externalPurchaseID: String?
  /// The type of an external purchase token, `externalPurchaseToken.tokenType`.
  public var externalPurchaseTokenType: String?
  /// The instant at which the token was created, `externalPurchaseToken.tokenCreationDate`.
  public var externalPurchaseTokenCreatedAt: Instant?
  /// The instant at which the token expires, `externalPurchaseToken.tokenExpirationDate`.
  public var externalPurchaseTokenExpiresAt: Instant?
  /// The id of a request to extend renewal dates, `summary.requestIdentifier`.
  public var requestIdentifier: String?
  /// The id of the product of such a request, `summary.productId`.
  public var summaryProductID: String?
  /// The number of subscriptions that Apple extended, `summary.succeededCount`.
  public var succeededCount: Int64?
  /// The number of subscriptions that Apple could not extend, `summary.failedCount`.
  public var failedCount: Int64?
  /// The ids of the seat claims that Apple released, `unclaimInfo.unclaimSeatIds`.
  public var unclaimedSeatIDs: [String] = []

  init(type: String) { self.type = type }
}
