-- The current version of each transaction (rules §2), for each row of the query scope.
-- @key as_of, known_at, original_transaction_key, transaction_key
CREATE VIEW int_current_transaction_version AS
SELECT
  a.as_of, a.known_at, a.original_transaction_key, o.environment, o.original_transaction_id, t.transaction_key,
  n.transaction_id, t.version_id, t.evidence_at, t.source_rank, t.purchase_at, t.expires_at, t.revoked_at,
  t.is_upgraded
FROM param_scope a
CROSS JOIN projection_transaction t
JOIN original_transaction o ON o.original_transaction_key = t.original_transaction_key
JOIN stg_transaction n
  ON n.transaction_key = t.transaction_key AND n.original_transaction_key = t.original_transaction_key
WHERE t.original_transaction_key = a.original_transaction_key AND t.known_from <= a.known_at
  AND (t.known_until IS NULL OR t.known_until > a.known_at);
