-- The transactions of each subscription that states seats, in their current versions. Copies are left out, unless the
-- subscription contains nothing else. ended_at is the upgrade end of an upgraded transaction, else revoked_at
-- (rules §1). has_reason is 1 where several transactions cover the period. first_revoked_at is the first of the dates
-- at which Apple stated that it was revoked, also if that was taken back. A receipt states nothing about seats. What
-- the last signed version states still applies. product_run numbers what was bought of one product without another in
-- between (rules §3).
-- @integer ended_at, has_reason, first_revoked_at, product_run
CREATE VIEW int_seat_transaction AS
WITH subscription AS (
  SELECT a.known_at, a.original_transaction_key
  FROM int_scope_known a
  WHERE EXISTS (SELECT 1 FROM transaction_seat_info k WHERE k.original_transaction_key = a.original_transaction_key)
),
-- The last signed version of each transaction, else the last one.
stated AS (
  SELECT
    a.known_at, v.original_transaction_key, v.transaction_key, i.transaction_info_id, i.revocation_type,
    i.revocation_percentage, v.source_rank,
    MIN(i.revoked_at) OVER (PARTITION BY a.known_at, v.original_transaction_key, v.transaction_key)
      AS first_revoked_at,
    ROW_NUMBER() OVER (
      PARTITION BY a.known_at, v.original_transaction_key, v.transaction_key
      ORDER BY
        CASE WHEN v.source_rank = 1 THEN 0 ELSE 1 END, v.evidence_at DESC, i.digest DESC, v.payload_digest DESC
    ) AS row_rank
  FROM subscription a
  CROSS JOIN stg_transaction_version v
  CROSS JOIN transaction_info i
  WHERE v.original_transaction_key = a.original_transaction_key AND v.recorded_at <= a.known_at
    AND i.transaction_info_id = v.transaction_info_id
),
bought AS (
  SELECT
    a.known_at, t.original_transaction_key, t.transaction_key, n.transaction_id, t.version_id, s.product_id,
    t.purchase_at, t.expires_at, t.revoked_at, t.is_upgraded, s.in_app_ownership_type, s.quantity,
    COALESCE(s.revocation_type, CASE WHEN t.source_rank > 1 AND g.source_rank = 1 THEN g.revocation_type END)
      AS revocation_type,
    COALESCE(
      s.revocation_percentage, CASE WHEN t.source_rank > 1 AND g.source_rank = 1 THEN g.revocation_percentage END
    ) AS revocation_percentage,
    x.revoked_seat_quantity,
    CASE WHEN x.additional_transaction_reason IS NULL THEN 0 ELSE 1 END AS has_reason,
    CASE
      WHEN t.is_upgraded = 0 THEN t.revoked_at
      WHEN COALESCE(t.revoked_at, t.evidence_at) < t.expires_at THEN COALESCE(t.revoked_at, t.evidence_at)
      ELSE t.expires_at
    END AS ended_at,
    g.first_revoked_at,
    MAX(CASE WHEN t.expires_at > t.purchase_at THEN 1 ELSE 0 END) OVER (
      PARTITION BY a.known_at, t.original_transaction_key
    ) AS has_originals
  FROM subscription a
  CROSS JOIN projection_transaction t
  JOIN stg_transaction n ON n.transaction_key = t.transaction_key
  JOIN transaction_version v ON v.version_id = t.version_id
  JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
  LEFT JOIN stated g
    ON g.known_at = a.known_at AND g.original_transaction_key = t.original_transaction_key
    AND g.transaction_key = t.transaction_key AND g.row_rank = 1
  LEFT JOIN transaction_seat_info x
    ON x.transaction_info_id =
      CASE WHEN t.source_rank > 1 AND g.source_rank = 1 THEN g.transaction_info_id ELSE s.transaction_info_id END
  WHERE t.original_transaction_key = a.original_transaction_key AND t.known_from <= a.known_at
    AND (t.known_until IS NULL OR t.known_until > a.known_at) AND t.expires_at IS NOT NULL
)
SELECT
  t.*,
  SUM(is_other_product) OVER (
    PARTITION BY known_at, original_transaction_key ORDER BY purchase_at, expires_at, transaction_id
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS product_run
FROM (
  SELECT
    b.*,
    CASE
      WHEN COALESCE(product_id, '') = LAG(COALESCE(product_id, '')) OVER (
        PARTITION BY known_at, original_transaction_key ORDER BY purchase_at, expires_at, transaction_id
      )
      THEN 0
      ELSE 1
    END AS is_other_product
  FROM bought b
  WHERE has_originals = 0 OR expires_at > purchase_at
) t;
