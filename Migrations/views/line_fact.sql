-- What the rules look at, side by side: the head, the renewal info chosen for it, the newest evidence. First from the
-- one row that is kept of a line: at or after the last evidence of its renewal the last renewal info is both the one
-- that speaks for a lapsed line and the latest. Then for all other questions.
CREATE VIEW line_fact AS
SELECT
  a.as_of, a.known_at, a.line_id, l.head_version_id AS version_id, l.transaction_key, l.head_evidence_at,
  l.product_id, l.purchase_at, l.expires_at, l.revoked_at, l.is_upgraded, l.evidence_at,
  l.renewal_version_id AS lapsed_version_id, l.grace_period_expires_at, l.is_in_billing_retry_period,
  l.expiration_intent, l.auto_renew_status AS lapsed_auto_renew_status, l.renewal_signed_at,
  l.renewal_version_id AS latest_version_id, l.auto_renew_status, l.auto_renew_product_id
FROM asked a
CROSS JOIN projection_line l
WHERE l.line_id = a.line_id AND l.last_recorded_at <= a.known_at AND l.purchase_at <= a.as_of
  AND COALESCE(l.renewal_evidence_at, 0) <= a.as_of
UNION ALL
SELECT
  as_of, known_at, line_id, version_id, transaction_key, head_evidence_at,
  product_id, purchase_at, expires_at, revoked_at, is_upgraded, evidence_at,
  lapsed_version_id, grace_period_expires_at, is_in_billing_retry_period,
  expiration_intent, lapsed_auto_renew_status, renewal_signed_at,
  latest_version_id, auto_renew_status, auto_renew_product_id
FROM line_fact_unsettled;
