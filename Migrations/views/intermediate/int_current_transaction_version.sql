-- The current version of each transaction (rules §2), for each row of the query scope. Either the projection has it
-- (t), or the full derivation (d), if the subscription is not projected. They are joined, because a union would keep
-- SQLite from beginning a query with what identifies a transaction.
CREATE VIEW int_current_transaction_version AS
SELECT
  a.as_of, a.known_at, a.original_transaction_key, o.environment, o.original_transaction_id, n.transaction_key,
  n.transaction_id,
  COALESCE(t.version_id, d.version_id) AS version_id,
  COALESCE(t.evidence_at, d.evidence_at) AS evidence_at,
  COALESCE(t.source_rank, d.source_rank) AS source_rank,
  COALESCE(t.purchase_at, d.purchase_at) AS purchase_at,
  COALESCE(t.expires_at, d.expires_at) AS expires_at,
  COALESCE(t.revoked_at, d.revoked_at) AS revoked_at,
  COALESCE(t.is_upgraded, d.is_upgraded) AS is_upgraded
FROM param_scope a
JOIN original_transaction o ON o.original_transaction_key = a.original_transaction_key
JOIN stg_transaction n ON n.original_transaction_key = a.original_transaction_key
LEFT JOIN stg_projection l ON l.original_transaction_key = a.original_transaction_key
LEFT JOIN projection_transaction t
  ON t.original_transaction_key = l.original_transaction_key AND t.transaction_key = n.transaction_key
  AND t.known_from <= a.known_at AND (t.known_until IS NULL OR t.known_until > a.known_at)
LEFT JOIN int_derived_transaction_version d
  ON d.as_of = a.as_of AND d.known_at = a.known_at AND d.original_transaction_key = a.original_transaction_key
  AND d.transaction_key = n.transaction_key
WHERE COALESCE(t.version_id, d.version_id) IS NOT NULL;
