internal import AppStore
package import Foundation
package import GRDB
internal import LedgerSchema

// The typed columns, in the order of their tables. ``Step/run()`` traps when a value is missing.

extension TransactionFields {
  func bind(to step: Step) {
    step.bind(productID)
    step.bind(purchaseAt)
    step.bind(expiresAt)
    step.bind(revokedAt)
    step.bind(isUpgraded ?? false)
    step.bind(originalPurchaseAt)
    step.bind(bundleID)
    step.bind(webOrderLineItemID)
    step.bind(subscriptionGroupIdentifier)
    step.bind(type)
    step.bind(inAppOwnershipType)
    step.bind(quantity)
    step.bind(transactionReason)
    step.bind(revocationReason)
    step.bind(revocationType)
    step.bind(revocationPercentage)
    step.bind(isTrialPeriod)
    step.bind(isInIntroOfferPeriod)
    step.bind(offerType)
    step.bind(offerIdentifier)
    step.bind(offerDiscountType)
    step.bind(offerPeriod)
    step.bind(storefront)
    step.bind(storefrontID)
    step.bind(priceMilliunits)
    step.bind(currency)
    step.bind(appAccountToken)
    step.bind(appTransactionID)
    step.bind(billingPlanType)
    step.bind(commitmentBillingPeriodNumber)
    step.bind(commitmentTotalBillingPeriods)
    step.bind(commitmentPriceMilliunits)
    step.bind(commitmentExpiresAt)
    step.bind(previousOriginalTransactionID)
  }
}

extension RenewalFields {
  func bind(to step: Step) {
    step.bind(productID)
    step.bind(autoRenewProductID)
    step.bind(autoRenewStatus)
    step.bind(expirationIntent)
    step.bind(isInBillingRetryPeriod)
    step.bind(gracePeriodExpiresAt)
    step.bind(autoRenewStatusChangedAt)
    step.bind(priceIncreaseStatus)
    step.bind(priceConsentStatus)
    step.bind(offerType)
    step.bind(offerIdentifier)
    step.bind(offerDiscountType)
    step.bind(offerPeriod)
    step.bind(renewalAt)
    step.bind(renewalPriceMilliunits)
    step.bind(currency)
    step.bind(recentSubscriptionStartAt)
    step.bind(eligibleWinBackOfferIDs)
    step.bind(appAccountToken)
    step.bind(appTransactionID)
    step.bind(renewalBillingPlanType)
    step.bind(commitmentAutoRenewProductID)
    step.bind(commitmentAutoRenewStatus)
    step.bind(commitmentRenewalBillingPlanType)
    step.bind(commitmentRenewalAt)
    step.bind(commitmentRenewalPriceMilliunits)
  }
}

extension AppTransactionFields {
  func bind(to step: Step) {
    step.bind(appTransactionID)
    step.bind(bundleID)
    step.bind(appAppleID)
    step.bind(applicationVersion)
    step.bind(originalApplicationVersion)
    step.bind(originalPurchaseAt)
    step.bind(preorderAt)
    step.bind(originalPlatform)
  }
}

extension ContentDigest {
  package var data: DatabaseValue { Data(bytes).databaseValue }
}

extension [UInt8] {
  package var data: Data { Data(self) }
  package var text: String { String(decoding: self, as: UTF8.self) }
}
