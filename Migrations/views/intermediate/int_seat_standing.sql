-- Rules §3, §4e and §7: the transactions of each period of a subscription that states seats, at each change of the
-- period, from decides_at until succeeded_at. Where the deciding transaction states why there are several, the period
-- decides: all transactions of its product_run that had begun and whose time contains its purchase_at. A change is where a
-- transaction of the period begins or ends, and where Apple states refunded seats.
--
-- is_valid is 1 where the transaction gives access, and has_ended where it was revoked or replaced. Both are 1 for a
-- revoked one of an incomplete period, as if it were valid. refunded_seats and the refunded share of the price are those
-- at decides_at.
-- @integer decides_at, succeeded_at, is_valid, has_ended, is_complete, refunded_seats, share_numerator
-- @integer share_denominator
CREATE VIEW int_seat_standing AS
WITH deciding AS (
  SELECT
    t.*, LEAD(purchase_at) OVER (PARTITION BY known_at, original_transaction_key ORDER BY purchase_at) AS next_at
  FROM (
    SELECT
      b.*,
      ROW_NUMBER() OVER (
        PARTITION BY known_at, original_transaction_key, purchase_at
        ORDER BY has_reason DESC, expires_at DESC, transaction_id DESC
      ) AS row_rank
    FROM int_seat_transaction b
  ) t
  WHERE row_rank = 1
),
-- The transactions of each period. period_at is the purchase_at of the deciding transaction.
member AS (
  SELECT *
  FROM (
    SELECT
      d.known_at, d.original_transaction_key, d.purchase_at AS period_at, d.next_at,
      -- A period with several transactions of which the ledger has one is incomplete.
      MAX(CASE WHEN d.has_reason = 1 AND m.transaction_key = d.transaction_key THEN 0 ELSE 1 END) OVER (
        PARTITION BY d.known_at, d.original_transaction_key, d.purchase_at
      ) AS is_complete,
      m.transaction_key, m.transaction_id, m.version_id, m.product_id, m.purchase_at, m.expires_at, m.revoked_at,
      m.is_upgraded, m.has_reason, m.ended_at, m.in_app_ownership_type, m.revocation_type, m.quantity,
      m.first_revoked_at
    FROM deciding d
    JOIN int_seat_transaction m
      ON m.known_at = d.known_at AND m.original_transaction_key = d.original_transaction_key
    WHERE m.transaction_key = d.transaction_key
      OR d.has_reason = 1 AND m.product_run = d.product_run
      AND m.purchase_at < d.expires_at AND m.expires_at > d.purchase_at AND m.expires_at > m.purchase_at
  ) p
  WHERE purchase_at <= period_at
),
refund AS (SELECT * FROM int_seat_refund),
change AS (
  SELECT
    c.*,
    LEAD(decides_at) OVER (PARTITION BY known_at, original_transaction_key ORDER BY decides_at) AS succeeded_at
  FROM (
    SELECT DISTINCT
      m.known_at, m.original_transaction_key, m.period_at,
      CASE e.edge WHEN 'begin' THEN m.period_at WHEN 'end' THEN m.ended_at ELSE r.refunded_at END AS decides_at
    FROM member m
    CROSS JOIN (SELECT 'begin' AS edge UNION ALL SELECT 'end' UNION ALL SELECT 'refund') e
    LEFT JOIN refund r
      ON e.edge = 'refund' AND r.known_at = m.known_at AND r.original_transaction_key = m.original_transaction_key
      AND r.transaction_key = m.transaction_key
    WHERE CASE e.edge
      WHEN 'begin' THEN 1 = 1
      WHEN 'end' THEN m.ended_at > m.period_at AND (m.next_at IS NULL OR m.ended_at < m.next_at)
      ELSE r.refunded_at > m.period_at AND (m.next_at IS NULL OR r.refunded_at < m.next_at)
    END
  ) c
)
SELECT
  c.decides_at, c.succeeded_at, m.*,
  CASE
    WHEN m.ended_at IS NULL OR m.ended_at > c.decides_at THEN 1
    WHEN m.is_complete = 0 AND m.is_upgraded = 0
      AND COALESCE(m.revocation_type, '') NOT IN ('ASSIGNMENT_REVOKE', 'FAMILY_REVOKE') THEN 1
    ELSE 0
  END AS is_valid,
  CASE WHEN m.ended_at <= c.decides_at THEN 1 ELSE 0 END AS has_ended,
  COALESCE(r.refunded_seats, 0) AS refunded_seats, r.share_numerator, r.share_denominator
FROM change c
JOIN member m
  ON m.known_at = c.known_at AND m.original_transaction_key = c.original_transaction_key
  AND m.period_at = c.period_at
LEFT JOIN refund r
  ON r.known_at = m.known_at AND r.original_transaction_key = m.original_transaction_key
  AND r.transaction_key = m.transaction_key AND r.refunded_at <= c.decides_at
  AND (r.ended_at IS NULL OR r.ended_at > c.decides_at);
