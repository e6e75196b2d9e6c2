-- The transaction versions that a payload without contradictions states, with when each such payload was recorded. It
-- may be another payload that contains the same object.
CREATE VIEW int_sound_version AS
SELECT v.original_transaction_key, v.version_id, i.recorded_at
FROM transaction_version v
JOIN transaction_version w
  ON w.original_transaction_key = v.original_transaction_key AND w.transaction_info_id = v.transaction_info_id
JOIN stg_payload i ON i.payload_id = w.payload_id
WHERE i.is_contradictory = 0;
