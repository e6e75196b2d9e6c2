-- The input of the rules, one row for each query and subscription. It has the deciding transaction, the deciding
-- renewal info and the newest evidence. It also shows whether these depend on contradictory payloads.
CREATE VIEW rule_input AS
SELECT
  as_of, known_at, original_transaction_key, version_id, transaction_key, deciding_evidence_at,
  product_id, purchase_at, expires_at, revoked_at, is_upgraded, evidence_at,
  deciding_renewal_info_version_id, grace_period_expires_at, is_in_billing_retry_period,
  expiration_intent, deciding_auto_renew_status, renewal_signed_at,
  latest_renewal_info_version_id, auto_renew_status, auto_renew_product_id, uncontradicted_evidence_at, is_contradicted
FROM rule_input_projected
UNION ALL
SELECT
  as_of, known_at, original_transaction_key, version_id, transaction_key, deciding_evidence_at,
  product_id, purchase_at, expires_at, revoked_at, is_upgraded, evidence_at,
  deciding_renewal_info_version_id, grace_period_expires_at, is_in_billing_retry_period,
  expiration_intent, deciding_auto_renew_status, renewal_signed_at,
  latest_renewal_info_version_id, auto_renew_status, auto_renew_product_id, uncontradicted_evidence_at, is_contradicted
FROM rule_input_derived;
