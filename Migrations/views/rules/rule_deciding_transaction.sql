-- Rules §1 and §3: the deciding transaction at T. It has the greatest purchase_at of the transactions with purchase_at
-- <= T. Ties: the greatest expires_at, then the greatest transaction_id as text. This view serves the query scope that
-- projection_original_transaction does not answer.
CREATE VIEW rule_deciding_transaction AS
SELECT
  t.as_of, t.known_at, t.original_transaction_key, t.transaction_key, t.version_id, t.evidence_at, s.product_id,
  t.purchase_at, t.expires_at, t.revoked_at, t.is_upgraded
FROM (
  SELECT
    c.*,
    ROW_NUMBER() OVER (
      PARTITION BY c.as_of, c.known_at, c.original_transaction_key ORDER BY c.expires_at DESC, n.transaction_id DESC
    ) AS row_rank
  FROM (
    SELECT
      i.as_of, i.known_at, i.original_transaction_key, t.transaction_key, t.version_id, t.evidence_at,
      t.purchase_at, t.expires_at, t.revoked_at, t.is_upgraded
    FROM int_deciding_purchase_instant i
    CROSS JOIN projection_transaction t
    WHERE i.is_projected = 1 AND t.original_transaction_key = i.original_transaction_key
      AND t.known_from <= i.known_at AND (t.known_until IS NULL OR t.known_until > i.known_at)
      AND t.purchase_at = i.purchase_at AND CASE WHEN t.expires_at <= t.purchase_at THEN 1 ELSE 0 END = i.is_copy
      AND t.expires_at IS NOT NULL
    UNION ALL
    SELECT
      t.as_of, t.known_at, t.original_transaction_key, t.transaction_key, t.version_id, t.evidence_at,
      t.purchase_at, t.expires_at, t.revoked_at, t.is_upgraded
    FROM int_deciding_purchase_instant i
    JOIN int_derived_transaction_version t ON t.as_of = i.as_of AND t.known_at = i.known_at
    AND t.original_transaction_key = i.original_transaction_key
    WHERE i.is_projected = 0 AND t.purchase_at = i.purchase_at
      AND CASE WHEN t.expires_at <= t.purchase_at THEN 1 ELSE 0 END = i.is_copy AND t.expires_at IS NOT NULL
  ) c
  JOIN stg_transaction n ON n.transaction_key = c.transaction_key
) t
JOIN transaction_version v ON v.version_id = t.version_id
JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
WHERE t.row_rank = 1;
