-- Every renewal info version recorded by known_at, with its instants. This is the full derivation, for subscriptions
-- that are not projected.
CREATE VIEW int_known_renewal_info_version AS
SELECT
  a.as_of, a.known_at, a.original_transaction_key, v.version_id, v.evidence_at, v.recorded_at
FROM int_scope_unprojected a
CROSS JOIN stg_renewal_info_version v
WHERE v.original_transaction_key = a.original_transaction_key AND v.recorded_at <= a.known_at;
