internal import AppStore
internal import Foundation
internal import GRDB

// The typed columns in the order of their tables: a test compares the counts.

extension TransactionFields {
  var columns: [(any DatabaseValueConvertible)?] {
    [
      productID, purchaseAt?.milliseconds, expiresAt?.milliseconds, revokedAt?.milliseconds, isUpgraded ?? false,
      originalPurchaseAt?.milliseconds, bundleID, webOrderLineItemID, subscriptionGroupIdentifier, type,
      inAppOwnershipType, quantity, transactionReason, revocationReason, revocationType, revocationPercentage,
      isTrialPeriod, isInIntroOfferPeriod, offerType, offerIdentifier, offerDiscountType, offerPeriod, storefront,
      storefrontID, priceMilliunits, currency, appAccountToken, appTransactionID, billingPlanType,
      commitmentBillingPeriodNumber, commitmentTotalBillingPeriods, commitmentPriceMilliunits,
      commitmentExpiresAt?.milliseconds, previousOriginalTransactionID,
    ]
  }
}

extension RenewalFields {
  var columns: [(any DatabaseValueConvertible)?] {
    [
      productID, autoRenewProductID, autoRenewStatus, expirationIntent, isInBillingRetryPeriod,
      gracePeriodExpiresAt?.milliseconds, autoRenewStatusChangedAt?.milliseconds, priceIncreaseStatus,
      priceConsentStatus, offerType, offerIdentifier, offerDiscountType, offerPeriod, renewalAt?.milliseconds,
      renewalPriceMilliunits, currency, recentSubscriptionStartAt?.milliseconds, eligibleWinBackOfferIDs,
      appAccountToken, appTransactionID, renewalBillingPlanType, commitmentAutoRenewProductID,
      commitmentAutoRenewStatus, commitmentRenewalBillingPlanType, commitmentRenewalAt?.milliseconds,
      commitmentRenewalPriceMilliunits,
    ]
  }
}

extension AppTransactionFields {
  var columns: [(any DatabaseValueConvertible)?] {
    [
      appTransactionID, bundleID, appAppleID, applicationVersion, originalApplicationVersion,
      originalPurchaseAt?.milliseconds, preorderAt?.milliseconds, originalPlatform,
    ]
  }
}

extension Digest {
  var data: DatabaseValue { Data(bytes).databaseValue }
}

extension [UInt8] {
  var data: Data { Data(self) }
  var text: String { String(decoding: self, as: UTF8.self) }
}
