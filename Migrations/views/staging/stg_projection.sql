-- The projected subscriptions whose projection answers a query. A projection uses all evidence about its subscription.
-- It does not answer a query that excludes some of this evidence by least_trust.
CREATE VIEW stg_projection AS
SELECT
  original_transaction_key, last_recorded_at, evidence_at, renewal_evidence_at, deciding_version_id, transaction_key,
  deciding_evidence_at,
  product_id, purchase_at, expires_at, revoked_at, is_upgraded, renewal_info_version_id, grace_period_expires_at,
  is_in_billing_retry_period, expiration_intent, auto_renew_status, auto_renew_product_id, renewal_signed_at,
  is_contradicted, least_trust
FROM projection_original_transaction
WHERE least_trust >= COALESCE((SELECT MAX(least_trust) FROM param_query), 0);
