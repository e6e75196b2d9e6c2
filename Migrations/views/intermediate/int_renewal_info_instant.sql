-- Every renewal info version recorded by known_at, with its evidence_at. It comes from the projection, or from the full
-- derivation if the subscription is not projected.
CREATE VIEW int_renewal_info_instant AS
SELECT a.as_of, a.known_at, a.original_transaction_key, r.evidence_at, r.version_id
FROM param_scope a
CROSS JOIN stg_projection l
CROSS JOIN projection_renewal_info r
WHERE l.original_transaction_key = a.original_transaction_key
  AND r.original_transaction_key = a.original_transaction_key AND r.recorded_at <= a.known_at
UNION ALL
SELECT as_of, known_at, original_transaction_key, evidence_at, version_id FROM int_known_renewal_info_version;
