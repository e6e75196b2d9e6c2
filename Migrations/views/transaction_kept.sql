-- The current version of every transaction, for every question, as the projection keeps it.
CREATE VIEW transaction_kept AS
SELECT
  a.as_of, a.known_at, a.line_id, t.transaction_key, t.version_id, t.evidence_at,
  t.source_rank, t.product_id, t.purchase_at, t.expires_at, t.revoked_at, t.is_upgraded
FROM asked a
CROSS JOIN line_kept l
CROSS JOIN projection_transaction t
WHERE l.line_id = a.line_id AND t.line_id = a.line_id AND t.known_from <= a.known_at AND t.known_until > a.known_at;
