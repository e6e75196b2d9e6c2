-- The refunds of seats of each transaction, as far as its current version states any (rules §7). refunded_seats is the
-- number of all seats that were refunded from refunded_at until ended_at (NULL: no end). refunded_at is when Apple first
-- stated them. A later version may take a refund back, so the current version limits what was refunded. At the refund
-- of the whole transaction, the refunds of its seats end.
--
-- share_numerator / share_denominator is the refunded share of the price (rules §10). It is an estimate where Apple
-- states no percentage for it.
-- @integer refunded_seats, refunded_at, ended_at, share_numerator, share_denominator
CREATE VIEW int_seat_refund AS
SELECT
  known_at, original_transaction_key, transaction_key, refunded_at, ended_at, refunded_seats,
  CASE WHEN is_estimated = 1 THEN refunded_seats ELSE revocation_percentage END AS share_numerator,
  CASE WHEN is_estimated = 1 THEN quantity ELSE 100000 END AS share_denominator
FROM (
  SELECT
    r.*, CASE WHEN next_at IS NULL OR last_at < next_at THEN last_at ELSE next_at END AS ended_at
  FROM (
    SELECT
      known_at, original_transaction_key, transaction_key, quantity, revocation_percentage, refunded_seats,
      MIN(stated_at) AS refunded_at, CASE WHEN is_upgraded = 0 THEN revoked_at END AS last_at,
      LEAD(MIN(stated_at)) OVER (
        PARTITION BY known_at, original_transaction_key, transaction_key ORDER BY refunded_seats
      ) AS next_at,
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
          m.revocation_percentage, m.revoked_at, m.is_upgraded,
          -- Apple signs no text before its purchase, but edited texts may contradict this.
          CASE WHEN v.evidence_at < m.purchase_at THEN m.purchase_at ELSE v.evidence_at END AS stated_at,
          MAX(x.revoked_seat_quantity) OVER (
            PARTITION BY m.known_at, m.original_transaction_key, m.transaction_key ORDER BY v.evidence_at
          ) AS stated_seats
        FROM int_seat_transaction m
        CROSS JOIN stg_transaction_version v
        JOIN transaction_seat_info x ON x.transaction_info_id = v.transaction_info_id
        WHERE m.revoked_seat_quantity > 0 AND v.original_transaction_key = m.original_transaction_key
          AND v.transaction_key = m.transaction_key AND v.recorded_at <= m.known_at AND x.revoked_seat_quantity > 0
      ) s
    ) b
    GROUP BY
      known_at, original_transaction_key, transaction_key, quantity, revocation_percentage, revoked_at, is_upgraded,
      revoked_seat_quantity, refunded_seats
  ) r
) t
WHERE ended_at IS NULL OR ended_at > refunded_at;
