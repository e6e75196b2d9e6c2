-- The newest evidence_at of a subscription (rules §6 and §7), from what was recorded by known_at.
-- uncontradicted_evidence_at does not count contradictory payloads. All evidence is a version or a status claim. Of a
-- transaction's versions, the current one has the newest evidence_at. The view serves the query scope that
-- projection_original_transaction does not answer.
CREATE VIEW int_last_evidence_derived AS
SELECT a.as_of, a.known_at, a.original_transaction_key, l.evidence_at, l.evidence_at AS uncontradicted_evidence_at
FROM int_scope_derived a
CROSS JOIN stg_projection l
WHERE l.original_transaction_key = a.original_transaction_key AND l.last_recorded_at <= a.known_at
  AND l.is_contradicted = 0
UNION ALL
SELECT as_of, known_at, original_transaction_key, MAX(evidence_at), MAX(uncontradicted_evidence_at)
FROM (
  SELECT
    a.as_of, a.known_at, a.original_transaction_key, MAX(t.evidence_at) AS evidence_at,
    MAX(t.evidence_at) AS uncontradicted_evidence_at
  FROM int_scope_derived a CROSS JOIN stg_projection l CROSS JOIN projection_transaction t
  WHERE l.original_transaction_key = a.original_transaction_key AND l.last_recorded_at > a.known_at
    AND l.is_contradicted = 0 AND t.original_transaction_key = a.original_transaction_key
    AND t.known_from <= a.known_at AND (t.known_until IS NULL OR t.known_until > a.known_at)
  GROUP BY a.as_of, a.known_at, a.original_transaction_key
  UNION ALL
  SELECT a.as_of, a.known_at, a.original_transaction_key, MAX(r.evidence_at), MAX(r.evidence_at)
  FROM int_scope_derived a CROSS JOIN stg_projection l CROSS JOIN projection_renewal_info r
  WHERE l.original_transaction_key = a.original_transaction_key AND l.last_recorded_at > a.known_at
    AND l.is_contradicted = 0 AND r.original_transaction_key = a.original_transaction_key
    AND r.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.original_transaction_key
  UNION ALL
  SELECT
    a.as_of, a.known_at, a.original_transaction_key, MAX(c.evidence_at), MAX(c.evidence_at)
  FROM int_scope_derived a CROSS JOIN stg_projection l CROSS JOIN stg_status_claim c
  WHERE l.original_transaction_key = a.original_transaction_key AND l.last_recorded_at > a.known_at
    AND l.is_contradicted = 0 AND c.original_transaction_key = a.original_transaction_key
    AND c.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.original_transaction_key
  UNION ALL
  SELECT
    a.as_of, a.known_at, a.original_transaction_key, MAX(v.evidence_at),
    MAX(CASE WHEN v.is_contradictory = 0 THEN v.evidence_at END)
  FROM int_scope_full_evidence a CROSS JOIN stg_transaction_version v
  WHERE v.original_transaction_key = a.original_transaction_key AND v.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.original_transaction_key
  UNION ALL
  SELECT
    a.as_of, a.known_at, a.original_transaction_key, MAX(v.evidence_at),
    MAX(CASE WHEN v.is_contradictory = 0 THEN v.evidence_at END)
  FROM int_scope_full_evidence a CROSS JOIN stg_renewal_info_version v
  WHERE v.original_transaction_key = a.original_transaction_key AND v.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.original_transaction_key
  UNION ALL
  SELECT
    a.as_of, a.known_at, a.original_transaction_key, MAX(c.evidence_at),
    MAX(CASE WHEN c.is_contradictory = 0 THEN c.evidence_at END)
  FROM int_scope_full_evidence a CROSS JOIN stg_status_claim c
  WHERE c.original_transaction_key = a.original_transaction_key AND c.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.original_transaction_key
) stated
GROUP BY as_of, known_at, original_transaction_key;
