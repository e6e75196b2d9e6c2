-- The deciding transactions of each subscription in order (rules §3), from what was recorded by known_at. Each one
-- decides from its purchase_at until the purchase_at of the next. Copies count only in a subscription that contains
-- nothing else (rules §1).
-- @key known_at, original_transaction_key, purchase_at
CREATE VIEW int_deciding_period AS
SELECT
  known_at, original_transaction_key, transaction_key, version_id, evidence_at AS deciding_evidence_at, product_id,
  purchase_at, expires_at, revoked_at, is_upgraded,
  LEAD(purchase_at) OVER (PARTITION BY known_at, original_transaction_key ORDER BY purchase_at) AS succeeded_at
FROM (
  SELECT
    t.known_at, t.original_transaction_key, t.transaction_key, t.version_id, t.evidence_at, s.product_id,
    t.purchase_at, t.expires_at, t.revoked_at, t.is_upgraded,
    MAX(CASE WHEN t.expires_at > t.purchase_at THEN 1 ELSE 0 END) OVER (
      PARTITION BY t.known_at, t.original_transaction_key
    ) AS has_originals,
    -- as_of comes last, because what was known does not depend on it.
    ROW_NUMBER() OVER (
      PARTITION BY t.known_at, t.original_transaction_key, t.purchase_at
        ORDER BY t.expires_at DESC, n.transaction_id DESC, t.as_of
    ) AS row_rank
  FROM int_known_transaction_version t
  JOIN stg_transaction n ON n.transaction_key = t.transaction_key
  JOIN transaction_version v ON v.version_id = t.version_id
  JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
  WHERE t.expires_at IS NOT NULL
) t
WHERE row_rank = 1 AND (has_originals = 0 OR expires_at > purchase_at);
