-- The renewal info versions of each subscription recorded by known_at, in the order of evidence_at. Several versions
-- may have one evidence_at. The version for the deciding transaction's product then comes first (rules §5, ties). Among
-- the versions of one product, and where no version is for that product, the smallest row_rank comes first.
-- @key known_at, original_transaction_key, evidence_at, row_rank
CREATE VIEW int_renewal_info_history AS
SELECT
  w.known_at, w.original_transaction_key, w.evidence_at, w.version_id, s.product_id, s.auto_renew_product_id,
  s.auto_renew_status,
  s.expiration_intent, s.is_in_billing_retry_period, s.grace_period_expires_at, s.price_increase_status,
  CASE WHEN v.source_rank = 1 THEN v.signed_at END AS signed_at,
  ROW_NUMBER() OVER (
    PARTITION BY w.known_at, w.original_transaction_key, w.evidence_at
    ORDER BY v.source_rank, s.digest DESC, p.digest DESC
  ) AS row_rank,
  w.version_count
FROM (
  SELECT
    a.known_at, r.original_transaction_key, r.evidence_at, r.version_id,
    COUNT(*) OVER (PARTITION BY a.known_at, r.original_transaction_key, r.evidence_at) AS version_count
  FROM int_scope_known a
  CROSS JOIN projection_renewal_info r
  WHERE r.original_transaction_key = a.original_transaction_key AND r.recorded_at <= a.known_at
) w
JOIN renewal_info_version v ON v.version_id = w.version_id
JOIN renewal_info s ON s.renewal_info_id = v.renewal_info_id
-- Only versions with the same evidence_at need this digest.
LEFT JOIN payload p ON p.payload_id = CASE WHEN w.version_count > 1 THEN v.payload_id END;
