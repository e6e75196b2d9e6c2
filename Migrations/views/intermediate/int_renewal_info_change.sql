-- Every renewal info version recorded by known_at, in the order of evidence_at. The columns `previous_…` have the
-- values of the version before it.
-- @integer previous_status, previous_intent, previous_grace, previous_price_increase, previous_retry, previous_quantity
CREATE VIEW int_renewal_info_change AS
SELECT *
FROM (
  SELECT
    a.as_of, a.known_at, v.original_transaction_key, v.evidence_at,
    v.recorded_at, v.version_id, v.payload_id,
    s.product_id, s.auto_renew_product_id, s.auto_renew_status, s.expiration_intent,
    COALESCE(s.is_in_billing_retry_period, 0) AS is_in_billing_retry_period, s.grace_period_expires_at,
    s.price_increase_status, s.auto_renew_status_changed_at,
    v.is_inferred, q.renewal_quantity, LAG(q.renewal_quantity) OVER stated AS previous_quantity,
    LAG(s.auto_renew_product_id) OVER stated AS previous_product_id,
    LAG(s.auto_renew_status) OVER stated AS previous_status,
    LAG(COALESCE(s.is_in_billing_retry_period, 0)) OVER stated AS previous_retry,
    LAG(s.grace_period_expires_at) OVER stated AS previous_grace,
    LAG(s.price_increase_status) OVER stated AS previous_price_increase,
    LAG(s.expiration_intent) OVER stated AS previous_intent
  FROM param_scope a
  CROSS JOIN stg_renewal_info_version v
  CROSS JOIN renewal_info s
  LEFT JOIN renewal_seat_info q ON q.renewal_info_id = s.renewal_info_id
  WHERE v.original_transaction_key = a.original_transaction_key AND v.recorded_at <= a.known_at
    AND s.renewal_info_id = v.renewal_info_id
  WINDOW stated AS (
    PARTITION BY a.as_of, a.known_at, v.original_transaction_key
    ORDER BY v.evidence_at, v.source_rank DESC, s.digest, v.payload_digest
  )
) one;
