-- When Apple stated each renewal info version, and when it was recorded. projection_renewal_info stores these rows.
-- @key original_transaction_key, evidence_at, version_id
CREATE VIEW int_renewal_info_instant AS
SELECT v.original_transaction_key, v.evidence_at, v.version_id, v.recorded_at
FROM param_subscription a
CROSS JOIN stg_renewal_info_version v
WHERE v.original_transaction_key = a.original_transaction_key;
