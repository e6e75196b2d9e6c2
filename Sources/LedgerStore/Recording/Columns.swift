internal import AppStore
package import Foundation
package import GRDB
internal import LedgerSchema

// The typed columns, in the order of their tables. ``Step/column(_:)`` traps when they are not those of the table.

extension TransactionFields {
  func bind(to step: Step) {
    step.column("product_id").bind(productID)
    step.column("purchase_at").bind(purchaseAt)
    step.column("expires_at").bind(expiresAt)
    step.column("revoked_at").bind(revokedAt)
    step.column("is_upgraded").bind(isUpgraded ?? false)
    step.column("original_purchase_at").bind(originalPurchaseAt)
    step.column("bundle_id").bind(bundleID)
    step.column("web_order_line_item_id").bind(webOrderLineItemID)
    step.column("subscription_group_identifier").bind(subscriptionGroupIdentifier)
    step.column("type").bind(type)
    step.column("in_app_ownership_type").bind(inAppOwnershipType)
    step.column("quantity").bind(quantity)
    step.column("transaction_reason").bind(transactionReason)
    step.column("revocation_reason").bind(revocationReason)
    step.column("revocation_type").bind(revocationType)
    step.column("revocation_percentage").bind(revocationPercentage)
    step.column("is_trial_period").bind(isTrialPeriod)
    step.column("is_in_intro_offer_period").bind(isInIntroOfferPeriod)
    step.column("offer_type").bind(offerType)
    step.column("offer_identifier").bind(offerIdentifier)
    step.column("offer_discount_type").bind(offerDiscountType)
    step.column("offer_period").bind(offerPeriod)
    step.column("storefront").bind(storefront)
    step.column("storefront_id").bind(storefrontID)
    step.column("price_milliunits").bind(priceMilliunits)
    step.column("currency").bind(currency)
    step.column("app_account_token").bind(appAccountToken)
    step.column("app_transaction_id").bind(appTransactionID)
    step.column("billing_plan_type").bind(billingPlanType)
    step.column("commitment_billing_period_number").bind(commitmentBillingPeriodNumber)
    step.column("commitment_total_billing_periods").bind(commitmentTotalBillingPeriods)
    step.column("commitment_price_milliunits").bind(commitmentPriceMilliunits)
    step.column("commitment_expires_at").bind(commitmentExpiresAt)
    step.column("previous_original_transaction_id").bind(previousOriginalTransactionID)
  }
}

extension RenewalFields {
  func bind(to step: Step) {
    step.column("product_id").bind(productID)
    step.column("auto_renew_product_id").bind(autoRenewProductID)
    step.column("auto_renew_status").bind(autoRenewStatus)
    step.column("expiration_intent").bind(expirationIntent)
    step.column("is_in_billing_retry_period").bind(isInBillingRetryPeriod)
    step.column("grace_period_expires_at").bind(gracePeriodExpiresAt)
    step.column("auto_renew_status_changed_at").bind(autoRenewStatusChangedAt)
    step.column("price_increase_status").bind(priceIncreaseStatus)
    step.column("price_consent_status").bind(priceConsentStatus)
    step.column("offer_type").bind(offerType)
    step.column("offer_identifier").bind(offerIdentifier)
    step.column("offer_discount_type").bind(offerDiscountType)
    step.column("offer_period").bind(offerPeriod)
    step.column("renewal_at").bind(renewalAt)
    step.column("renewal_price_milliunits").bind(renewalPriceMilliunits)
    step.column("currency").bind(currency)
    step.column("recent_subscription_start_at").bind(recentSubscriptionStartAt)
    step.column("eligible_win_back_offer_ids").bind(eligibleWinBackOfferIDs)
    step.column("app_account_token").bind(appAccountToken)
    step.column("app_transaction_id").bind(appTransactionID)
    step.column("renewal_billing_plan_type").bind(renewalBillingPlanType)
    step.column("commitment_auto_renew_product_id").bind(commitmentAutoRenewProductID)
    step.column("commitment_auto_renew_status").bind(commitmentAutoRenewStatus)
    step.column("commitment_renewal_billing_plan_type").bind(commitmentRenewalBillingPlanType)
    step.column("commitment_renewal_at").bind(commitmentRenewalAt)
    step.column("commitment_renewal_price_milliunits").bind(commitmentRenewalPriceMilliunits)
  }
}

extension AppTransactionFields {
  func bind(to step: Step) {
    step.column("app_transaction_id").bind(appTransactionID)
    step.column("bundle_id").bind(bundleID)
    step.column("app_apple_id").bind(appAppleID)
    step.column("application_version").bind(applicationVersion)
    step.column("original_application_version").bind(originalApplicationVersion)
    step.column("original_purchase_at").bind(originalPurchaseAt)
    step.column("preorder_at").bind(preorderAt)
    step.column("original_platform").bind(originalPlatform)
  }
}

extension ContentDigest {
  package var data: DatabaseValue { Data(bytes).databaseValue }
}

extension [UInt8] {
  package var data: Data { Data(self) }
  package var text: String { String(decoding: self, as: UTF8.self) }
}
