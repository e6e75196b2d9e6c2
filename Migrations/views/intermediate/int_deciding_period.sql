-- Rules §1 and §3: the deciding transactions of each subscription in order. Each decides from decides_at until that of
-- the next one (succeeded_at). Of transactions with the same purchase_at, the greatest expires_at decides, then the
-- greatest transaction_id as text. A copy of a period counts only in a subscription that contains nothing but copies.
-- Of a subscription that states seats, int_seat_period has the rows.
--
-- Rules §4: superseded_at is when the transaction ends if an upgrade replaced it. It is revoked_at, else the evidence_at
-- of the version. It is never after expires_at.
--
-- seats is the number of seats while the transaction gives access (rules §7). is_incomplete is 1 where rules §4e apply.
-- @key known_at, original_transaction_key, decides_at
-- @integer decides_at, succeeded_at, seats, is_incomplete
CREATE VIEW int_deciding_period AS
SELECT
  known_at, original_transaction_key, purchase_at AS decides_at, transaction_key, version_id, product_id, purchase_at,
  expires_at, revoked_at, is_upgraded,
  CASE
    WHEN COALESCE(revoked_at, evidence_at) < expires_at THEN COALESCE(revoked_at, evidence_at)
    ELSE expires_at
  END AS superseded_at,
  LEAD(purchase_at) OVER (PARTITION BY known_at, original_transaction_key ORDER BY purchase_at) AS succeeded_at,
  CASE WHEN in_app_ownership_type IN ('FAMILY_SHARED', 'ASSIGNED') THEN NULL ELSE quantity END AS seats,
  0 AS is_incomplete
FROM (
  SELECT
    a.known_at, t.original_transaction_key, t.transaction_key, t.version_id, t.evidence_at, s.product_id,
    t.purchase_at, t.expires_at, t.revoked_at, t.is_upgraded, s.in_app_ownership_type, s.quantity,
    MAX(CASE WHEN t.expires_at > t.purchase_at THEN 1 ELSE 0 END) OVER (
      PARTITION BY a.known_at, t.original_transaction_key
    ) AS has_originals,
    ROW_NUMBER() OVER (
      PARTITION BY a.known_at, t.original_transaction_key, t.purchase_at
      ORDER BY t.expires_at DESC, n.transaction_id DESC
    ) AS row_rank
  FROM int_scope_known a
  CROSS JOIN projection_transaction t
  JOIN stg_transaction n ON n.transaction_key = t.transaction_key
  JOIN transaction_version v ON v.version_id = t.version_id
  JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
  WHERE t.original_transaction_key = a.original_transaction_key AND t.known_from <= a.known_at
    AND (t.known_until IS NULL OR t.known_until > a.known_at) AND t.expires_at IS NOT NULL
    AND NOT EXISTS (
      SELECT 1 FROM transaction_seat_info x WHERE x.original_transaction_key = a.original_transaction_key
    )
) t
WHERE row_rank = 1 AND (has_originals = 0 OR expires_at > purchase_at)
UNION ALL
SELECT
  known_at, original_transaction_key, decides_at, transaction_key, version_id, product_id, purchase_at, expires_at,
  revoked_at, is_upgraded, superseded_at, succeeded_at, seats, is_incomplete
FROM int_seat_period;
