-- The input of the rules, one row for each query and subscription. It has the deciding transaction, the deciding
-- renewal info and the newest evidence. It also shows whether these depend on contradictory payloads.
--
-- Either the projection answers (l) or rule_input_derived (d), never both. They are joined, because a union would keep
-- SQLite from beginning a query with what identifies a subscription.
CREATE VIEW rule_input AS
SELECT
  a.as_of, a.known_at, a.original_transaction_key, o.environment, o.original_transaction_id,
  COALESCE(l.deciding_version_id, d.version_id) AS version_id,
  COALESCE(l.transaction_key, d.transaction_key) AS transaction_key,
  COALESCE(l.deciding_evidence_at, d.deciding_evidence_at) AS deciding_evidence_at,
  COALESCE(l.product_id, d.product_id) AS product_id,
  COALESCE(l.purchase_at, d.purchase_at) AS purchase_at,
  COALESCE(l.expires_at, d.expires_at) AS expires_at,
  COALESCE(l.revoked_at, d.revoked_at) AS revoked_at,
  COALESCE(l.is_upgraded, d.is_upgraded) AS is_upgraded,
  COALESCE(l.evidence_at, d.evidence_at) AS evidence_at,
  COALESCE(l.renewal_info_version_id, d.deciding_renewal_info_version_id) AS deciding_renewal_info_version_id,
  COALESCE(l.grace_period_expires_at, d.grace_period_expires_at) AS grace_period_expires_at,
  COALESCE(l.is_in_billing_retry_period, d.is_in_billing_retry_period) AS is_in_billing_retry_period,
  COALESCE(l.expiration_intent, d.expiration_intent) AS expiration_intent,
  COALESCE(l.auto_renew_status, d.deciding_auto_renew_status) AS deciding_auto_renew_status,
  COALESCE(l.renewal_signed_at, d.renewal_signed_at) AS renewal_signed_at,
  COALESCE(l.renewal_info_version_id, d.latest_renewal_info_version_id) AS latest_renewal_info_version_id,
  COALESCE(l.auto_renew_status, d.auto_renew_status) AS auto_renew_status,
  COALESCE(l.auto_renew_product_id, d.auto_renew_product_id) AS auto_renew_product_id,
  COALESCE(l.evidence_at, d.uncontradicted_evidence_at) AS uncontradicted_evidence_at,
  COALESCE(d.is_contradicted, 0) AS is_contradicted
FROM param_scope a
JOIN original_transaction o ON o.original_transaction_key = a.original_transaction_key
LEFT JOIN stg_projection l
  ON l.original_transaction_key = a.original_transaction_key AND l.last_recorded_at <= a.known_at
  AND COALESCE(l.purchase_at, 0) <= a.as_of
  AND COALESCE(l.renewal_evidence_at, 0) <= a.as_of AND l.is_contradicted = 0
LEFT JOIN rule_input_derived d
  ON d.as_of = a.as_of AND d.known_at = a.known_at AND d.original_transaction_key = a.original_transaction_key
WHERE COALESCE(l.deciding_version_id, d.version_id) IS NOT NULL;
