-- When Apple stated renewal info before and after T: last_at is the last evidence_at at or before as_of, and next_at is
-- the first one after it. The view serves the query scope that projection_original_transaction does not answer.
CREATE VIEW int_renewal_info_around AS
SELECT
  a.as_of, a.known_at, a.original_transaction_key, 1 AS is_projected,
  (
    SELECT MAX(r.evidence_at) FROM projection_renewal_info r
    WHERE r.original_transaction_key = a.original_transaction_key AND r.evidence_at <= a.as_of
      AND r.recorded_at <= a.known_at
  ) AS last_at,
  (
    SELECT MIN(r.evidence_at) FROM projection_renewal_info r
    WHERE r.original_transaction_key = a.original_transaction_key AND r.evidence_at > a.as_of
      AND r.recorded_at <= a.known_at
  ) AS next_at
FROM int_scope_derived a
JOIN stg_projection l ON l.original_transaction_key = a.original_transaction_key
UNION ALL
SELECT
  as_of, known_at, original_transaction_key, 0,
  MAX(CASE WHEN evidence_at <= as_of THEN evidence_at END), MIN(CASE WHEN evidence_at > as_of THEN evidence_at END)
FROM int_known_renewal_info_version
GROUP BY as_of, known_at, original_transaction_key;
