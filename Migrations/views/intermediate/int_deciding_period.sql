-- The heads of a line one after the other (rules §3), as far as was known: each decides from its purchase until that of
-- the next. Copies count only in a line that has nothing else.
CREATE VIEW int_deciding_period AS
SELECT
  known_at, original_transaction_key, transaction_key, version_id, evidence_at, product_id, purchase_at, expires_at,
  revoked_at,
  is_upgraded,
  -- Rules §4: where a term ends before its time: taken back, or replaced (see rule_fact).
  CASE
    WHEN is_upgraded = 0 THEN revoked_at
    WHEN COALESCE(revoked_at, evidence_at) < expires_at THEN COALESCE(revoked_at, evidence_at)
    ELSE expires_at
  END AS cut_at,
  LEAD(purchase_at) OVER (PARTITION BY known_at, original_transaction_key ORDER BY purchase_at) AS succeeded_at
FROM (
  SELECT
    t.known_at, t.original_transaction_key, t.transaction_key, t.version_id, t.evidence_at, t.product_id,
    t.purchase_at, t.expires_at,
    t.revoked_at, t.is_upgraded,
    MAX(CASE WHEN t.expires_at > t.purchase_at THEN 1 ELSE 0 END) OVER (PARTITION BY t.known_at,
    t.original_transaction_key)
      AS has_originals,
    -- (as_of comes last: what was known does not hang on it.)
    ROW_NUMBER() OVER (
      PARTITION BY t.known_at, t.original_transaction_key, t.purchase_at
        ORDER BY t.expires_at DESC, n.transaction_id DESC, t.as_of
    ) AS row_rank
  FROM int_current_transaction_version t
  JOIN store_transaction n ON n.transaction_key = t.transaction_key
  WHERE t.expires_at IS NOT NULL
) ranked
WHERE row_rank = 1 AND (has_originals = 0 OR expires_at > purchase_at);
