-- The subscription transactions among which a head must be looked for: those of lines whose head at the end of time
-- had not begun yet, and those that the general text answers.
CREATE VIEW head_candidate AS
SELECT
  a.as_of, a.known_at, a.line_id, t.transaction_key, t.version_id, t.evidence_at,
  t.product_id, t.purchase_at, t.expires_at, t.revoked_at, t.is_upgraded
FROM asked_unsettled a
CROSS JOIN projection_line l
CROSS JOIN projection_transaction t
WHERE l.line_id = a.line_id AND l.last_recorded_at <= a.known_at
  AND (l.purchase_at IS NULL OR l.purchase_at > a.as_of)
  AND t.line_id = a.line_id AND t.expires_at IS NOT NULL
UNION ALL
SELECT
  as_of, known_at, line_id, transaction_key, version_id, evidence_at,
  product_id, purchase_at, expires_at, revoked_at, is_upgraded
FROM transaction_derived
WHERE expires_at IS NOT NULL;
