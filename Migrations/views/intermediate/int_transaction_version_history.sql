-- Every transaction version recorded by known_at. period_rank numbers the versions that state the same period.
-- revocation_rank numbers those that state the same revocation. Rank 1 was recorded first.
--
-- is_subscription is 1 when any version of the transaction states an end. A version that omits the end is then not a
-- one-time purchase.
-- @integer is_trial, is_subscription, period_rank, revocation_rank
CREATE VIEW int_transaction_version_history AS
SELECT
  a.as_of, a.known_at, v.original_transaction_key, t.transaction_id, i.recorded_at, v.payload_id,
  s.product_id, s.purchase_at, s.expires_at, s.revoked_at, s.is_upgraded, s.revocation_type, s.revocation_reason,
  s.quantity, x.additional_transaction_reason, x.revoked_seat_quantity, v.signed_at,
  MAX(COALESCE(s.is_trial_period, 0)) OVER period AS is_trial,
  MAX(s.transaction_reason) OVER period AS transaction_reason,
  MAX(s.in_app_ownership_type) OVER period AS in_app_ownership_type,
  MAX(CASE WHEN s.expires_at IS NULL THEN 0 ELSE 1 END)
    OVER (PARTITION BY a.as_of, a.known_at, v.original_transaction_key, v.transaction_key) AS is_subscription,
  ROW_NUMBER() OVER (
    PARTITION BY a.as_of, a.known_at, v.original_transaction_key, v.transaction_key, s.product_id, s.purchase_at,
      s.expires_at
    ORDER BY i.recorded_at, i.digest, v.version_id
  ) AS period_rank,
  ROW_NUMBER() OVER (
    PARTITION BY
      a.as_of, a.known_at, v.original_transaction_key, v.transaction_key, s.product_id, s.revoked_at, s.expires_at,
      s.is_upgraded
    ORDER BY i.recorded_at, i.digest, v.version_id
  ) AS revocation_rank
FROM param_scope a
CROSS JOIN transaction_version v
CROSS JOIN stg_payload i
CROSS JOIN transaction_info s
CROSS JOIN stg_transaction t
LEFT JOIN transaction_seat_info x ON x.transaction_info_id = v.transaction_info_id
WHERE v.original_transaction_key = a.original_transaction_key AND i.payload_id = v.payload_id
  AND i.recorded_at <= a.known_at
  AND s.transaction_info_id = v.transaction_info_id AND t.transaction_key = v.transaction_key
WINDOW period AS (
  PARTITION BY a.as_of, a.known_at, v.original_transaction_key, v.transaction_key, s.product_id, s.purchase_at,
    s.expires_at
);
