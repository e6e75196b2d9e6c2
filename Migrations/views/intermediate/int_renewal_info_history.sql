-- The renewal info versions of each subscription recorded by known_at, in the order of evidence_at. Several versions
-- may have one evidence_at. The version for the deciding transaction's product then comes first (rules §5, ties). Among
-- the versions of one product, product_rank 1 comes first. Among all of them, row_rank 1 comes first.
CREATE VIEW int_renewal_info_history AS
SELECT
  w.known_at, w.original_transaction_key, w.evidence_at, w.version_id, s.product_id, s.auto_renew_product_id,
  s.auto_renew_status,
  s.expiration_intent, s.is_in_billing_retry_period, s.grace_period_expires_at, s.price_increase_status,
  CASE WHEN v.source_rank = 1 THEN v.signed_at END AS signed_at,
  ROW_NUMBER() OVER (
    PARTITION BY w.known_at, w.original_transaction_key, w.evidence_at
      ORDER BY v.source_rank, s.digest DESC, p.digest DESC, w.as_of
  ) AS row_rank,
  ROW_NUMBER() OVER (
    PARTITION BY w.known_at, w.original_transaction_key, w.evidence_at, s.product_id
    ORDER BY v.source_rank, s.digest DESC, p.digest DESC, w.as_of
  ) AS product_rank
FROM (
  SELECT a.as_of, a.known_at, a.original_transaction_key, r.evidence_at, r.version_id
  FROM param_scope a
  CROSS JOIN stg_projection l
  CROSS JOIN projection_renewal_info r
  WHERE l.original_transaction_key = a.original_transaction_key
    AND r.original_transaction_key = a.original_transaction_key AND r.recorded_at <= a.known_at
  UNION ALL
  SELECT as_of, known_at, original_transaction_key, evidence_at, version_id FROM int_known_renewal_info_version
) w
JOIN renewal_info_version v ON v.version_id = w.version_id
JOIN renewal_info s ON s.renewal_info_id = v.renewal_info_id
JOIN payload p ON p.payload_id = v.payload_id;
