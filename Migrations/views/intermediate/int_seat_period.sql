-- Rules §3, §4e and §7: what int_deciding_period states of the subscriptions with seats. A row sums up the transactions
-- of a period at one change of it. The valid transaction that was bought last decides.
-- @integer decides_at, succeeded_at, superseded_at, seats, is_incomplete, is_upgraded
CREATE VIEW int_seat_period AS
SELECT
  known_at, original_transaction_key, decides_at, transaction_key, version_id, product_id, purchase_at,
  CASE WHEN is_any_valid = 1 THEN valid_expires_at ELSE last_expires_at END AS expires_at,
  CASE
    WHEN is_any_valid = 0 AND is_any_upgraded = 0 THEN last_revoked_at
    WHEN is_any_valid = 0 OR has_ended = 0 THEN revoked_at
  END AS revoked_at,
  CASE WHEN is_any_valid = 1 THEN is_upgraded ELSE is_any_upgraded END AS is_upgraded,
  CASE WHEN is_any_valid = 1 THEN ended_at ELSE last_superseded_at END AS superseded_at,
  succeeded_at,
  CASE
    WHEN is_complete = 0 OR in_app_ownership_type IN ('FAMILY_SHARED', 'ASSIGNED') THEN NULL
    WHEN is_any_unknown = 1 OR quantity IS NULL THEN NULL
    ELSE seats
  END AS seats,
  CASE WHEN is_any_valid = 1 AND has_ended = 1 THEN 1 ELSE 0 END AS is_incomplete
FROM (
  SELECT
    s.*,
    MAX(is_valid) OVER of_change AS is_any_valid,
    MAX(CASE WHEN is_valid = 1 THEN expires_at END) OVER of_change AS valid_expires_at,
    MAX(expires_at) OVER of_change AS last_expires_at,
    MAX(CASE WHEN is_upgraded = 0 THEN ended_at END) OVER of_change AS last_revoked_at,
    MAX(is_upgraded) OVER of_change AS is_any_upgraded,
    MAX(CASE WHEN is_upgraded = 1 THEN ended_at END) OVER of_change AS last_superseded_at,
    MAX(CASE WHEN is_valid = 1 AND quantity IS NULL THEN 1 ELSE 0 END) OVER of_change AS is_any_unknown,
    SUM(CASE WHEN is_valid = 0 THEN 0 ELSE quantity - refunded_seats END) OVER of_change AS seats,
    ROW_NUMBER() OVER (
      PARTITION BY known_at, original_transaction_key, decides_at
      ORDER BY is_valid DESC, purchase_at DESC, has_reason DESC, expires_at DESC, transaction_id DESC
    ) AS row_rank
  FROM int_seat_standing s
  WINDOW of_change AS (PARTITION BY known_at, original_transaction_key, decides_at)
) t
WHERE row_rank = 1;
