-- What the rules look at, side by side: the head, the renewal info chosen for it, the newest evidence. First from the
-- one row that is kept of a line: at or after the last evidence of its renewal the last renewal info is both the one
-- that speaks for a lapsed line and the latest. Then for all other questions.
CREATE VIEW line_fact AS
SELECT
  a.as_of, a.known_at, a.line_id, l.head_version_id AS version_id, l.transaction_key,
  l.head_evidence_at AS head_evidence_at, l.product_id, l.purchase_at, l.expires_at, l.revoked_at, l.is_upgraded,
  l.evidence_at,
  l.renewal_version_id AS lapsed_version_id, l.grace_period_expires_at, l.is_in_billing_retry_period,
  l.expiration_intent, l.auto_renew_status AS lapsed_auto_renew_status, l.renewal_signed_at,
  l.renewal_version_id AS latest_version_id, l.auto_renew_status, l.auto_renew_product_id
FROM asked a
CROSS JOIN projection_line l
WHERE l.line_id = a.line_id AND l.last_recorded_at <= a.known_at AND l.purchase_at <= a.as_of
  AND COALESCE(l.renewal_evidence_at, 0) <= a.as_of
UNION ALL
SELECT
  h.as_of, h.known_at, h.line_id, h.version_id, h.transaction_key,
  h.evidence_at, h.product_id, h.purchase_at, h.expires_at, h.revoked_at, h.is_upgraded,
  e.evidence_at,
  c.lapsed_version_id, g.grace_period_expires_at, g.is_in_billing_retry_period,
  g.expiration_intent, g.auto_renew_status, CASE WHEN gv.source_rank = 1 THEN gv.signed_at END,
  c.latest_version_id, n.auto_renew_status, n.auto_renew_product_id
FROM line_head h
LEFT JOIN line_evidence e ON e.as_of = h.as_of AND e.known_at = h.known_at AND e.line_id = h.line_id
LEFT JOIN renewal_choice c ON c.as_of = h.as_of AND c.known_at = h.known_at AND c.line_id = h.line_id
LEFT JOIN renewal_version gv ON gv.version_id = c.lapsed_version_id
LEFT JOIN renewal_statement g ON g.statement_id = gv.statement_id
LEFT JOIN renewal_version nv ON nv.version_id = c.latest_version_id
LEFT JOIN renewal_statement n ON n.statement_id = nv.statement_id;
