-- Every renewal info version recorded by known_at, with its instants. This is the full derivation, for subscriptions
-- that are not projected.
CREATE VIEW int_known_renewal_info_version AS
SELECT
  a.as_of, a.known_at, a.original_transaction_key, v.version_id, COALESCE(v.signed_at, i.evidence_at) AS evidence_at,
  i.recorded_at
FROM int_scope_unprojected a
CROSS JOIN renewal_info_version v
CROSS JOIN stg_payload i
WHERE v.original_transaction_key = a.original_transaction_key AND i.payload_id = v.payload_id
  AND i.recorded_at <= a.known_at;
