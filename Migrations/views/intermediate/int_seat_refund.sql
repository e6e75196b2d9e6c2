-- The refunds of seats of each transaction, as far as its current version states any (rules §7). refunded_at is when
-- Apple first stated them. refunded_seats is the number of all seats that were refunded until then, and
-- previous_refunded_seats that before. A later version may take a refund back, so the current version limits what was
-- refunded.
--
-- share_numerator / share_denominator is the refunded share of what was paid (rules §10). It is an estimate, and
-- is_estimated is 1, where Apple states no percentage for it.
-- @integer refunded_seats, previous_refunded_seats, share_numerator, share_denominator, is_estimated
CREATE VIEW int_seat_refund AS
SELECT
  known_at, original_transaction_key, transaction_key, refunded_at, refunded_seats, previous_refunded_seats,
  CASE WHEN is_estimated = 1 THEN refunded_seats ELSE revocation_percentage END AS share_numerator,
  CASE WHEN is_estimated = 1 THEN quantity ELSE 100000 END AS share_denominator,
  is_estimated
FROM (
  SELECT
    r.*,
    COALESCE(LAG(refunded_seats) OVER (
      PARTITION BY known_at, original_transaction_key, transaction_key ORDER BY refunded_at
    ), 0) AS previous_refunded_seats,
    CASE
      WHEN revocation_percentage IS NULL OR revoked_at IS NOT NULL OR is_upgraded = 1 THEN 1
      WHEN refunded_seats < revoked_seat_quantity THEN 1
      ELSE 0
    END AS is_estimated
  FROM (
    SELECT
      s.*, CASE WHEN stated_seats < revoked_seat_quantity THEN stated_seats ELSE revoked_seat_quantity END
        AS refunded_seats
    FROM (
      SELECT
        m.known_at, m.original_transaction_key, m.transaction_key, m.quantity, m.revoked_seat_quantity,
        m.revocation_percentage, m.revoked_at, m.is_upgraded, v.evidence_at AS refunded_at,
        MAX(x.revoked_seat_quantity) OVER (
          PARTITION BY m.known_at, m.original_transaction_key, m.transaction_key ORDER BY v.evidence_at
        ) AS stated_seats
      FROM int_seat_transaction m
      CROSS JOIN stg_transaction_version v
      JOIN transaction_seat_info x ON x.transaction_info_id = v.transaction_info_id
      WHERE m.revoked_seat_quantity > 0 AND v.original_transaction_key = m.original_transaction_key
        AND v.transaction_key = m.transaction_key AND v.recorded_at <= m.known_at AND x.revoked_seat_quantity > 0
    ) s
  ) r
) t
WHERE refunded_seats > previous_refunded_seats;
