-- The newest evidence_at of each subscription (rules §6 and §7), from what was recorded by known_at.
-- uncontradicted_evidence_at does not count contradictory payloads.
-- @key known_at, original_transaction_key
CREATE VIEW int_last_evidence AS
SELECT known_at, original_transaction_key, MAX(evidence_at) AS evidence_at,
  MAX(uncontradicted_evidence_at) AS uncontradicted_evidence_at
FROM (
  SELECT a.known_at, a.original_transaction_key, l.evidence_at, l.evidence_at AS uncontradicted_evidence_at
  FROM param_scope a
  CROSS JOIN stg_projection l
  WHERE l.original_transaction_key = a.original_transaction_key AND l.last_recorded_at <= a.known_at
    AND l.is_contradicted = 0
  UNION ALL
  SELECT known_at, original_transaction_key, evidence_at, uncontradicted_evidence_at FROM int_last_evidence_derived
) stated
GROUP BY known_at, original_transaction_key;
