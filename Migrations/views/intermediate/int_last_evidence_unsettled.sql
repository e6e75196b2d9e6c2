-- The newest evidence_at of anything that was said of a line and known (rules §6 and §7), and of what payloads say
-- that do not contradict themselves (uncontradicted_evidence_at). Versions and Apple's own status claims are all the
-- kinds there are. (Of a transaction's versions the current one is the newest.)
CREATE VIEW int_last_evidence_unsettled AS
SELECT a.as_of, a.known_at, a.original_transaction_key, l.evidence_at, l.evidence_at AS uncontradicted_evidence_at
FROM int_scope_unsettled a
CROSS JOIN stg_projection l
WHERE l.original_transaction_key = a.original_transaction_key AND l.last_recorded_at <= a.known_at
  AND l.is_contradicted = 0
UNION ALL
SELECT as_of, known_at, original_transaction_key, MAX(evidence_at), MAX(uncontradicted_evidence_at)
FROM (
  SELECT
    a.as_of, a.known_at, a.original_transaction_key, MAX(t.evidence_at) AS evidence_at,
    MAX(t.evidence_at) AS uncontradicted_evidence_at
  FROM int_scope_unsettled a CROSS JOIN stg_projection l CROSS JOIN projection_transaction t
  WHERE l.original_transaction_key = a.original_transaction_key AND l.last_recorded_at > a.known_at
    AND l.is_contradicted = 0 AND t.original_transaction_key = a.original_transaction_key
    AND t.known_from <= a.known_at AND t.known_until > a.known_at
  GROUP BY a.as_of, a.known_at, a.original_transaction_key
  UNION ALL
  SELECT a.as_of, a.known_at, a.original_transaction_key, MAX(r.evidence_at), MAX(r.evidence_at)
  FROM int_scope_unsettled a CROSS JOIN stg_projection l CROSS JOIN projection_renewal_info r
  WHERE l.original_transaction_key = a.original_transaction_key AND l.last_recorded_at > a.known_at
    AND l.is_contradicted = 0 AND r.original_transaction_key = a.original_transaction_key
    AND r.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.original_transaction_key
  UNION ALL
  SELECT
    a.as_of, a.known_at, a.original_transaction_key, MAX(COALESCE(c.signed_at, i.evidence_at)),
    MAX(COALESCE(c.signed_at, i.evidence_at))
  FROM int_scope_unsettled a CROSS JOIN stg_projection l CROSS JOIN status_claim c CROSS JOIN stg_payload i
  WHERE l.original_transaction_key = a.original_transaction_key AND l.last_recorded_at > a.known_at
    AND l.is_contradicted = 0 AND c.original_transaction_key = a.original_transaction_key
    AND i.payload_id = c.payload_id AND i.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.original_transaction_key
  UNION ALL
  SELECT
    a.as_of, a.known_at, a.original_transaction_key, MAX(COALESCE(v.signed_at, i.evidence_at)),
    MAX(CASE WHEN i.is_contradictory = 0 THEN COALESCE(v.signed_at, i.evidence_at) END)
  FROM int_scope_full_evidence a CROSS JOIN transaction_version v CROSS JOIN stg_payload i
  WHERE v.original_transaction_key = a.original_transaction_key AND i.payload_id = v.payload_id
    AND i.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.original_transaction_key
  UNION ALL
  SELECT
    a.as_of, a.known_at, a.original_transaction_key, MAX(COALESCE(v.signed_at, i.evidence_at)),
    MAX(CASE WHEN i.is_contradictory = 0 THEN COALESCE(v.signed_at, i.evidence_at) END)
  FROM int_scope_full_evidence a CROSS JOIN renewal_info_version v CROSS JOIN stg_payload i
  WHERE v.original_transaction_key = a.original_transaction_key AND i.payload_id = v.payload_id
    AND i.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.original_transaction_key
  UNION ALL
  SELECT
    a.as_of, a.known_at, a.original_transaction_key, MAX(COALESCE(c.signed_at, i.evidence_at)),
    MAX(CASE WHEN i.is_contradictory = 0 THEN COALESCE(c.signed_at, i.evidence_at) END)
  FROM int_scope_full_evidence a CROSS JOIN status_claim c CROSS JOIN stg_payload i
  WHERE c.original_transaction_key = a.original_transaction_key AND i.payload_id = c.payload_id
    AND i.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.original_transaction_key
) stated
GROUP BY as_of, known_at, original_transaction_key;
