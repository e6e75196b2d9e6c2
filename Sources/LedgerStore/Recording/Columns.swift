internal import AppStore
package import Foundation
package import GRDB
internal import LedgerSchema

// The typed columns, in the order of their tables. ``BoundStatement/column(_:)`` traps when they are not those of the table.

extension TransactionFields {
  func bind(to statement: BoundStatement) {
    statement.column("product_id").bind(productID)
    statement.column("purchase_at").bind(purchaseAt)
    statement.column("expires_at").bind(expiresAt)
    statement.column("revoked_at").bind(revokedAt)
    statement.column("is_upgraded").bind(isUpgraded ?? false)
    statement.column("original_purchase_at").bind(originalPurchaseAt)
    statement.column("bundle_id").bind(bundleID)
    statement.column("web_order_line_item_id").bind(webOrderLineItemID)
    statement.column("subscription_group_identifier").bind(subscriptionGroupIdentifier)
    statement.column("type").bind(type)
    statement.column("in_app_ownership_type").bind(inAppOwnershipType)
    statement.column("quantity").bind(quantity)
    statement.column("transaction_reason").bind(transactionReason)
    statement.column("revocation_reason").bind(revocationReason)
    statement.column("revocation_type").bind(revocationType)
    statement.column("revocation_percentage").bind(revocationPercentage)
    statement.column("is_trial_period").bind(isTrialPeriod)
    statement.column("is_in_intro_offer_period").bind(isInIntroOfferPeriod)
    statement.column("offer_type").bind(offerType)
    statement.column("offer_identifier").bind(offerIdentifier)
    statement.column("offer_discount_type").bind(offerDiscountType)
    statement.column("offer_period").bind(offerPeriod)
    statement.column("storefront").bind(storefront)
    statement.column("storefront_id").bind(storefrontID)
    statement.column("price_milliunits").bind(price)
    statement.column("currency").bind(currency)
    statement.column("app_account_token").bind(appAccountToken)
    statement.column("app_transaction_id").bind(appTransactionID)
    statement.column("billing_plan_type").bind(billingPlanType)
    statement.column("commitment_billing_period_number").bind(commitmentBillingPeriodNumber)
    statement.column("commitment_total_billing_periods").bind(commitmentTotalBillingPeriods)
    statement.column("commitment_price_milliunits").bind(commitmentPrice)
    statement.column("commitment_expires_at").bind(commitmentExpiresAt)
    statement.column("previous_original_transaction_id").bind(previousOriginalTransactionID)
  }
}

extension RenewalFields {
  func bind(to statement: BoundStatement) {
    statement.column("product_id").bind(productID)
    statement.column("auto_renew_product_id").bind(autoRenewProductID)
    statement.column("auto_renew_status").bind(autoRenewStatus)
    statement.column("expiration_intent").bind(expirationIntent)
    statement.column("is_in_billing_retry_period").bind(isInBillingRetryPeriod)
    statement.column("grace_period_expires_at").bind(gracePeriodExpiresAt)
    statement.column("auto_renew_status_changed_at").bind(autoRenewStatusChangedAt)
    statement.column("price_increase_status").bind(priceIncreaseStatus)
    statement.column("price_consent_status").bind(priceConsentStatus)
    statement.column("offer_type").bind(offerType)
    statement.column("offer_identifier").bind(offerIdentifier)
    statement.column("offer_discount_type").bind(offerDiscountType)
    statement.column("offer_period").bind(offerPeriod)
    statement.column("renewal_at").bind(renewalAt)
    statement.column("renewal_price_milliunits").bind(renewalPrice)
    statement.column("currency").bind(currency)
    statement.column("recent_subscription_start_at").bind(recentSubscriptionStartAt)
    statement.column("eligible_win_back_offer_ids").bind(eligibleWinBackOfferIDs)
    statement.column("app_account_token").bind(appAccountToken)
    statement.column("app_transaction_id").bind(appTransactionID)
    statement.column("renewal_billing_plan_type").bind(renewalBillingPlanType)
    statement.column("commitment_auto_renew_product_id").bind(commitmentAutoRenewProductID)
    statement.column("commitment_auto_renew_status").bind(commitmentAutoRenewStatus)
    statement.column("commitment_renewal_billing_plan_type").bind(commitmentRenewalBillingPlanType)
    statement.column("commitment_renewal_at").bind(commitmentRenewalAt)
    statement.column("commitment_renewal_price_milliunits").bind(commitmentRenewalPrice)
  }
}

extension AppTransactionFields {
  func bind(to statement: BoundStatement) {
    statement.column("app_transaction_id").bind(appTransactionID)
    statement.column("bundle_id").bind(bundleID)
    statement.column("app_apple_id").bind(appAppleID)
    statement.column("application_version").bind(applicationVersion)
    statement.column("original_application_version").bind(originalApplicationVersion)
    statement.column("original_purchase_at").bind(originalPurchaseAt)
    statement.column("preorder_at").bind(preorderAt)
    statement.column("original_platform").bind(originalPlatform)
  }
}

extension ContentDigest {
  package var data: DatabaseValue { Data(bytes).databaseValue }
}

extension [UInt8] {
  package var data: Data { Data(self) }
  package var text: String { String(decoding: self, as: UTF8.self) }
}
