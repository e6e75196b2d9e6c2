-- The renewal info versions among which those that decide at T are: of a projected subscription those at the instants
-- of int_renewal_info_around, and else all. The view serves the query scope that projection_original_transaction does
-- not answer.
CREATE VIEW int_renewal_info_nearest AS
SELECT i.as_of, i.known_at, i.original_transaction_key, r.evidence_at, r.version_id
FROM int_renewal_info_around i
CROSS JOIN projection_renewal_info r
WHERE i.is_projected = 1 AND r.original_transaction_key = i.original_transaction_key
  AND r.evidence_at IN (i.last_at, i.next_at) AND r.recorded_at <= i.known_at
UNION ALL
SELECT as_of, known_at, original_transaction_key, evidence_at, version_id FROM int_known_renewal_info_version;
