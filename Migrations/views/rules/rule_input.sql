-- The input of the rules at every instant at which an answer can change: the deciding transaction, the deciding renewal
-- info and the newest evidence.
--
-- deciding_renewal_info_version_id is renewal(T) of rules §5. E is expires_at of the deciding transaction:
--   1. the last version with E <= evidence_at <= T
--   2. else the first version after T (and so with evidence_at >= E, because renewal(T) is for T >= E)
--   3. else the last version with evidence_at < E
-- While T < E, no rule reads it, and it is NULL.
--
-- latest_renewal_info_version_id is the last version with evidence_at <= T. It states will_renew and next_product_id
-- (rules §7).
--
-- Ties: the version for the product of the deciding transaction, then the order of int_renewal_info_history.
-- @integer change_number, deciding_renewal_info_version_id, latest_renewal_info_version_id, deciding_auto_renew_status, is_contradicted
CREATE VIEW rule_input AS
SELECT
  p.as_of, p.known_at, p.original_transaction_key, p.change_number, p.version_id, p.transaction_key, p.product_id,
  p.purchase_at, p.expires_at, p.revoked_at, p.is_upgraded, p.superseded_at, p.seats, p.is_incomplete, e.evidence_at,
  g.version_id AS deciding_renewal_info_version_id, g.grace_period_expires_at, g.is_in_billing_retry_period,
  g.expiration_intent, g.auto_renew_status AS deciding_auto_renew_status, g.signed_at AS renewal_signed_at,
  n.version_id AS latest_renewal_info_version_id, n.auto_renew_status, n.auto_renew_product_id,
  n.renewal_quantity,
  e.confirming_evidence_at,
  -- 1 when only contradictory payloads state the deciding version. `confirmed` (rules §6) depends on it.
  CASE
    WHEN e.is_contradicted = 1 AND NOT EXISTS (
      SELECT 1 FROM int_sound_version x
      WHERE x.original_transaction_key = p.original_transaction_key AND x.version_id = p.version_id
        AND x.recorded_at <= p.known_at
    ) THEN 1
    ELSE 0
  END AS is_contradicted
FROM (
  SELECT
    i.as_of, i.change_number, i.last_at, t.*,
    CASE
      WHEN i.as_of < t.expires_at THEN NULL
      WHEN i.last_at >= t.expires_at THEN i.last_at
      ELSE COALESCE(
        (
          SELECT MIN(n.evidence_at)
          FROM int_renewal_info_history n
          WHERE n.known_at = i.known_at AND n.original_transaction_key = i.original_transaction_key
            AND n.evidence_at > i.as_of
        ),
        i.last_at)
    END AS deciding_at
  FROM (
    SELECT
      as_of, known_at, original_transaction_key,
      MAX(decides_at) OVER past AS decides_at,
      MAX(info_at) OVER past AS last_at,
      DENSE_RANK() OVER past AS change_number,
      LAG(as_of) OVER past AS previous_at
    FROM int_change_instant
    WINDOW past AS (PARTITION BY known_at, original_transaction_key ORDER BY as_of)
  ) i
  JOIN int_deciding_period t
    ON t.known_at = i.known_at AND t.original_transaction_key = i.original_transaction_key
    AND t.decides_at = i.decides_at
  -- Rows with the same instant have the same values; keep the first.
  WHERE i.previous_at IS NULL OR i.previous_at < i.as_of
) p
LEFT JOIN int_last_evidence e
  ON e.known_at = p.known_at AND e.original_transaction_key = p.original_transaction_key
-- The deciding renewal info.
LEFT JOIN int_renewal_info_tie gp
  ON gp.known_at = p.known_at AND gp.original_transaction_key = p.original_transaction_key
  AND gp.evidence_at = p.deciding_at AND gp.product_id = p.product_id
LEFT JOIN int_renewal_info_history g
  ON g.known_at = p.known_at AND g.original_transaction_key = p.original_transaction_key
  AND g.evidence_at = p.deciding_at AND g.row_rank = COALESCE(gp.row_rank, 1)
-- The latest renewal info.
LEFT JOIN int_renewal_info_tie np
  ON np.known_at = p.known_at AND np.original_transaction_key = p.original_transaction_key
  AND np.evidence_at = p.last_at AND np.product_id = p.product_id
LEFT JOIN int_renewal_info_history n
  ON n.known_at = p.known_at AND n.original_transaction_key = p.original_transaction_key
  AND n.evidence_at = p.last_at AND n.row_rank = COALESCE(np.row_rank, 1);
