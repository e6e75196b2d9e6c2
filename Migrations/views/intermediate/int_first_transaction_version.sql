-- The version that was recorded first for each transaction, and its payload.
CREATE VIEW int_first_transaction_version AS
SELECT as_of, known_at, original_transaction_key, transaction_key, recorded_at, payload_id
FROM (
  SELECT
    a.as_of, a.known_at, v.original_transaction_key, v.transaction_key, i.recorded_at, v.payload_id,
    ROW_NUMBER() OVER (
      PARTITION BY a.as_of, a.known_at, v.transaction_key ORDER BY i.recorded_at, i.digest, v.version_id
    ) AS row_rank
  FROM param_scope a
  CROSS JOIN transaction_version v
  CROSS JOIN stg_payload i
  WHERE v.original_transaction_key = a.original_transaction_key AND i.payload_id = v.payload_id
    AND i.recorded_at <= a.known_at
) renewal_instant
WHERE row_rank = 1;
