-- The input of the rules from the one row that projection_original_transaction has for a subscription. This row answers
-- only at or after the last renewal info. From then on, the last renewal info is both the deciding and the latest one
-- (rules §5 and §7).
CREATE VIEW rule_input_projected AS
SELECT
  a.as_of, a.known_at, a.original_transaction_key, o.environment, o.original_transaction_id,
  l.deciding_version_id AS version_id, l.transaction_key,
  l.deciding_evidence_at,
  l.product_id, l.purchase_at, l.expires_at, l.revoked_at, l.is_upgraded, l.evidence_at,
  l.renewal_info_version_id AS deciding_renewal_info_version_id, l.grace_period_expires_at,
  l.is_in_billing_retry_period,
  l.expiration_intent, l.auto_renew_status AS deciding_auto_renew_status, l.renewal_signed_at,
  l.renewal_info_version_id AS latest_renewal_info_version_id, l.auto_renew_status, l.auto_renew_product_id,
  l.evidence_at AS uncontradicted_evidence_at, 0 AS is_contradicted
FROM param_scope a
JOIN original_transaction o ON o.original_transaction_key = a.original_transaction_key
JOIN stg_projection l ON l.original_transaction_key = a.original_transaction_key
WHERE l.last_recorded_at <= a.known_at
  AND l.purchase_at <= a.as_of
  AND COALESCE(l.renewal_evidence_at, 0) <= a.as_of AND l.is_contradicted = 0;
