-- The transaction versions that only contradictory payloads state. A payload without contradictions may contain the
-- same object. If it was recorded by known_at, the version is not listed here.
CREATE VIEW int_contradicted_version AS
SELECT DISTINCT known_at, original_transaction_key, version_id
FROM (
  SELECT
    a.known_at, v.original_transaction_key, v.version_id,
    MIN(i.is_contradictory) OVER (PARTITION BY a.known_at, v.original_transaction_key,
    v.transaction_info_id) AS is_contradicted
  FROM int_scope_full_evidence a
  CROSS JOIN transaction_version v
  CROSS JOIN stg_payload i
  WHERE v.original_transaction_key = a.original_transaction_key AND i.payload_id = v.payload_id
    AND i.recorded_at <= a.known_at
) mentioned
WHERE is_contradicted = 1;
