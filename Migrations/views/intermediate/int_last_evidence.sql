-- The newest evidence_at of each subscription, as it was known. The second one leaves out contradictory payloads and
-- receipts of devices, which confirm no end (rules §6).
-- @key known_at, original_transaction_key
-- @integer confirming_evidence_at
CREATE VIEW int_last_evidence AS
SELECT
  known_at, original_transaction_key, MAX(evidence_at) AS evidence_at,
  MAX(confirming_evidence_at) AS confirming_evidence_at, MAX(is_contradicted) AS is_contradicted
FROM (
  SELECT
    a.known_at, a.original_transaction_key, l.evidence_at, l.confirming_evidence_at, l.is_contradicted
  FROM int_scope_known a
  CROSS JOIN projection_original_transaction l
  WHERE l.original_transaction_key = a.original_transaction_key AND l.last_recorded_at <= a.known_at
  UNION ALL
  SELECT
    a.known_at, a.original_transaction_key, v.evidence_at,
    CASE WHEN v.is_contradictory = 0 AND v.is_device_receipt = 0 THEN v.evidence_at END, l.is_contradicted
  FROM int_scope_known a CROSS JOIN projection_original_transaction l CROSS JOIN stg_transaction_version v
  WHERE l.original_transaction_key = a.original_transaction_key
    AND l.last_recorded_at > a.known_at
    AND v.original_transaction_key = a.original_transaction_key AND v.recorded_at <= a.known_at
  UNION ALL
  SELECT
    a.known_at, a.original_transaction_key, v.evidence_at,
    CASE WHEN v.is_contradictory = 0 AND v.is_device_receipt = 0 THEN v.evidence_at END, l.is_contradicted
  FROM int_scope_known a CROSS JOIN projection_original_transaction l CROSS JOIN stg_renewal_info_version v
  WHERE l.original_transaction_key = a.original_transaction_key
    AND l.last_recorded_at > a.known_at
    AND v.original_transaction_key = a.original_transaction_key AND v.recorded_at <= a.known_at
  UNION ALL
  SELECT
    a.known_at, a.original_transaction_key, c.evidence_at,
    CASE WHEN c.is_contradictory = 0 AND c.is_device_receipt = 0 THEN c.evidence_at END, l.is_contradicted
  FROM int_scope_known a CROSS JOIN projection_original_transaction l CROSS JOIN stg_status_claim c
  WHERE l.original_transaction_key = a.original_transaction_key
    AND l.last_recorded_at > a.known_at
    AND c.original_transaction_key = a.original_transaction_key AND c.recorded_at <= a.known_at
) stated
GROUP BY known_at, original_transaction_key;
