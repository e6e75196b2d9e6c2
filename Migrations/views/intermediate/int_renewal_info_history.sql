-- The renewal info versions of each subscription recorded by known_at, in the order of evidence_at. Several versions
-- may have one evidence_at (is_tied). The version for the deciding transaction's product then comes first (rules §5,
-- ties). Among the versions of one product, and where no version is for that product, the smallest row_rank comes first.
-- @key known_at, original_transaction_key, evidence_at, row_rank
-- @integer row_rank, is_tied
CREATE VIEW int_renewal_info_history AS
SELECT
  a.known_at, r.original_transaction_key, r.evidence_at, r.version_id, s.product_id, s.auto_renew_product_id,
  s.auto_renew_status, s.expiration_intent, s.is_in_billing_retry_period, s.grace_period_expires_at,
  s.price_increase_status, x.renewal_quantity,
  CASE WHEN v.source_rank = 1 THEN v.signed_at END AS signed_at,
  COALESCE(k.row_rank, 1) AS row_rank,
  CASE WHEN k.row_rank IS NULL THEN 0 ELSE 1 END AS is_tied
FROM int_scope_known a
CROSS JOIN projection_renewal_info r
JOIN renewal_info_version v ON v.version_id = r.version_id
JOIN renewal_info s ON s.renewal_info_id = v.renewal_info_id
LEFT JOIN renewal_seat_info x ON x.renewal_info_id = v.renewal_info_id
LEFT JOIN int_renewal_info_rank k ON k.known_at = a.known_at AND k.version_id = r.version_id
WHERE r.original_transaction_key = a.original_transaction_key AND r.recorded_at <= a.known_at;
