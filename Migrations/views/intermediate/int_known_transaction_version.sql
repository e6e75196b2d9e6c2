-- The current version of each transaction (rules §2), from what was recorded by known_at: from the projection, or from
-- the full derivation if the subscription is not projected. The derivation of histories begins with it.
CREATE VIEW int_known_transaction_version AS
SELECT
  a.as_of, a.known_at, a.original_transaction_key, t.transaction_key, t.version_id, t.evidence_at, t.purchase_at,
  t.expires_at, t.revoked_at, t.is_upgraded
FROM param_scope a
CROSS JOIN stg_projection l
CROSS JOIN projection_transaction t
WHERE l.original_transaction_key = a.original_transaction_key
  AND t.original_transaction_key = a.original_transaction_key AND t.known_from <= a.known_at
  AND (t.known_until IS NULL OR t.known_until > a.known_at)
UNION ALL
SELECT
  as_of, known_at, original_transaction_key, transaction_key, version_id, evidence_at, purchase_at, expires_at,
  revoked_at, is_upgraded
FROM int_derived_transaction_version;
