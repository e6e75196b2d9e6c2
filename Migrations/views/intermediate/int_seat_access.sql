-- The access of each transaction of a subscription that states seats, until access_until. A transaction gives access while
-- it is valid and the subscription has access.
--
-- is_addition is 1 where it added seats to a period that an earlier transaction began (rules §10). That one was of the
-- same product_run, and gave access. A period consists of the transaction that began it, and its additions. It has access
-- until period_access_until. It is refunded at period_refunded_at, when all of its transactions are (NULL: not).
-- @integer access_until, period_access_until, period_refunded_at, is_addition
CREATE VIEW int_seat_access AS
WITH bought AS (SELECT * FROM int_seat_transaction),
access AS (
  SELECT
    s.known_at, s.original_transaction_key, s.transaction_key,
    MAX(
      CASE
        WHEN s.succeeded_at < COALESCE(h.ends_at, h.access_ends_at) THEN s.succeeded_at
        ELSE COALESCE(h.ends_at, h.access_ends_at)
      END
    ) AS access_until
  FROM int_seat_standing s
  JOIN state_history h ON h.known_at = s.known_at AND h.original_transaction_key = s.original_transaction_key
  WHERE s.is_valid = 1 AND h.has_access = 1 AND (s.succeeded_at IS NULL OR h.begins_at < s.succeeded_at)
    AND (h.ends_at IS NULL OR h.ends_at > s.decides_at)
  GROUP BY s.known_at, s.original_transaction_key, s.transaction_key
)
SELECT
  known_at, original_transaction_key, transaction_key, is_addition, access_until,
  MAX(access_until) OVER of_period AS period_access_until,
  CASE
    WHEN MAX(CASE WHEN revoked_at IS NULL OR is_upgraded = 1 THEN 1 ELSE 0 END) OVER of_period = 0
    THEN MAX(revoked_at) OVER of_period
  END AS period_refunded_at
FROM (
  SELECT
    p.known_at, p.original_transaction_key, p.transaction_key, p.is_addition, p.revoked_at, p.is_upgraded,
    COALESCE(a.access_until, p.purchase_at) AS access_until,
    SUM(1 - p.is_addition) OVER (
      PARTITION BY p.known_at, p.original_transaction_key ORDER BY p.purchase_at, p.expires_at, p.transaction_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS period_number
  FROM (
    SELECT
      m.known_at, m.original_transaction_key, m.transaction_key, m.transaction_id, m.purchase_at, m.expires_at,
      m.revoked_at, m.is_upgraded,
      MAX(CASE WHEN m.has_reason = 1 AND e.transaction_key IS NOT NULL THEN 1 ELSE 0 END) AS is_addition
    FROM bought m
    LEFT JOIN bought e
      ON e.known_at = m.known_at AND e.original_transaction_key = m.original_transaction_key
      AND e.product_run = m.product_run AND e.expires_at > m.purchase_at
      AND (e.ended_at IS NULL OR e.ended_at > m.purchase_at)
      AND (
        e.purchase_at < m.purchase_at
        OR e.purchase_at = m.purchase_at
        AND (e.expires_at < m.expires_at OR e.expires_at = m.expires_at AND e.transaction_id < m.transaction_id)
      )
    GROUP BY
      m.known_at, m.original_transaction_key, m.transaction_key, m.transaction_id, m.purchase_at, m.expires_at,
      m.revoked_at, m.is_upgraded
  ) p
  LEFT JOIN access a
    ON a.known_at = p.known_at AND a.original_transaction_key = p.original_transaction_key
    AND a.transaction_key = p.transaction_key
) t
WINDOW of_period AS (PARTITION BY known_at, original_transaction_key, period_number);
