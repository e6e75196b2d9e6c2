-- What is known of the evidence about each original transaction as a whole. projection_original_transaction stores
-- these rows.
-- @key original_transaction_key
-- @integer confirming_evidence_at
CREATE VIEW int_original_transaction_evidence AS
SELECT
  original_transaction_key, MAX(recorded_at) AS last_recorded_at, MAX(evidence_at) AS evidence_at,
  MAX(is_contradictory) AS is_contradicted, MIN(trust_level) AS weakest_trust,
  MAX(CASE WHEN is_contradictory = 0 AND is_device_receipt = 0 THEN evidence_at END) AS confirming_evidence_at
FROM (
  SELECT v.original_transaction_key, v.recorded_at, v.evidence_at, v.is_contradictory, v.is_device_receipt, v.trust_level
  FROM param_subscription a
  CROSS JOIN stg_transaction_version v
  WHERE v.original_transaction_key = a.original_transaction_key
  UNION ALL
  SELECT v.original_transaction_key, v.recorded_at, v.evidence_at, v.is_contradictory, v.is_device_receipt, v.trust_level
  FROM param_subscription a
  CROSS JOIN stg_renewal_info_version v
  WHERE v.original_transaction_key = a.original_transaction_key
  UNION ALL
  SELECT v.original_transaction_key, v.recorded_at, v.evidence_at, v.is_contradictory, v.is_device_receipt, v.trust_level
  FROM param_subscription a
  CROSS JOIN stg_status_claim v
  WHERE v.original_transaction_key = a.original_transaction_key
) stated
GROUP BY original_transaction_key;
