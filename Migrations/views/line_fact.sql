-- What the rules look at, side by side: the head, the renewal info chosen for it, the newest evidence; and what of it
-- rests on payloads that contradict themselves.
CREATE VIEW line_fact AS
SELECT
  as_of, known_at, line_id, version_id, transaction_key, head_evidence_at,
  product_id, purchase_at, expires_at, revoked_at, is_upgraded, evidence_at,
  lapsed_version_id, grace_period_expires_at, is_in_billing_retry_period,
  expiration_intent, lapsed_auto_renew_status, renewal_signed_at,
  latest_version_id, auto_renew_status, auto_renew_product_id, sound_evidence_at, is_contradicted
FROM line_fact_settled
UNION ALL
SELECT
  as_of, known_at, line_id, version_id, transaction_key, head_evidence_at,
  product_id, purchase_at, expires_at, revoked_at, is_upgraded, evidence_at,
  lapsed_version_id, grace_period_expires_at, is_in_billing_retry_period,
  expiration_intent, lapsed_auto_renew_status, renewal_signed_at,
  latest_version_id, auto_renew_status, auto_renew_product_id, sound_evidence_at, is_contradicted
FROM line_fact_unsettled;
