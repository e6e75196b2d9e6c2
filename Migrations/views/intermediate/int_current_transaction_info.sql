-- The current version of each transaction, with the text of its last signed version. signed_info_id is NULL when the
-- current version is signed itself, and when none is signed.
-- @integer signed_info_id
CREATE VIEW int_current_transaction_info AS
SELECT
  t.as_of, t.known_at, t.original_transaction_key, t.environment, t.original_transaction_id, t.transaction_key,
  t.transaction_id, t.version_id, t.evidence_at, t.purchase_at, t.expires_at, t.revoked_at, t.is_upgraded,
  CAST(NULL AS BIGINT) AS signed_info_id
FROM int_current_transaction_version t
WHERE t.source_rank = 1 OR NOT EXISTS (
  SELECT 1 FROM stg_transaction_version v
  WHERE v.original_transaction_key = t.original_transaction_key AND v.transaction_key = t.transaction_key
    AND v.source_rank = 1 AND v.recorded_at <= t.known_at
)
UNION ALL
SELECT
  w.as_of, w.known_at, w.original_transaction_key, w.environment, w.original_transaction_id, w.transaction_key,
  w.transaction_id, w.version_id, w.evidence_at, w.purchase_at, w.expires_at, w.revoked_at, w.is_upgraded,
  w.transaction_info_id
FROM int_signed_transaction_version w;
