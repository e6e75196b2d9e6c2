-- The current version of every transaction, for every question: from the projection, else from the general text.
CREATE VIEW transaction_at AS
SELECT
  a.as_of, a.known_at, a.line_id, t.transaction_key, t.version_id, t.evidence_at,
  t.product_id, t.purchase_at, t.expires_at, t.revoked_at, t.is_upgraded
FROM asked a
CROSS JOIN projection_line l
CROSS JOIN projection_transaction t
WHERE l.line_id = a.line_id AND t.line_id = a.line_id AND t.known_from <= a.known_at AND t.known_until > a.known_at
UNION ALL
SELECT
  as_of, known_at, line_id, transaction_key, version_id, evidence_at,
  product_id, purchase_at, expires_at, revoked_at, is_upgraded
FROM transaction_derived;
