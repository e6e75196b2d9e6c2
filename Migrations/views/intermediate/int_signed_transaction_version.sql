-- For each transaction whose current version comes from a receipt: its last signed version. A receipt states no price,
-- no storefront and only parts of an offer. The values of the last signed version still apply.
--
-- The window names every column that tells transactions apart, so that SQLite limits it to those in question.
CREATE VIEW int_signed_transaction_version AS
SELECT
  as_of, known_at, original_transaction_key, environment, original_transaction_id, transaction_key, transaction_id,
  version_id, evidence_at, purchase_at, expires_at, revoked_at, is_upgraded, transaction_info_id
FROM (
  SELECT
    t.*, v.transaction_info_id,
    ROW_NUMBER() OVER (
      PARTITION BY
        t.as_of, t.known_at, t.original_transaction_key, t.environment, t.original_transaction_id, t.transaction_key,
        t.transaction_id
      ORDER BY v.evidence_at DESC, c.digest DESC, v.payload_digest DESC
    ) AS row_rank
  FROM int_current_transaction_version t
  CROSS JOIN stg_transaction_version v
  CROSS JOIN transaction_info c
  WHERE t.source_rank > 1 AND v.original_transaction_key = t.original_transaction_key
    AND v.transaction_key = t.transaction_key AND v.source_rank = 1
    AND v.recorded_at <= t.known_at AND c.transaction_info_id = v.transaction_info_id
) stated
WHERE row_rank = 1;
