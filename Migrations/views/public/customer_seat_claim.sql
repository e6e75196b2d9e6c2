-- The seats that the app gave to customers, as of an instant (rules §9). A claim is open until the app or Apple ends it:
-- Apple by a notification UNCLAIM_SEATS. While the claim is open, the customer has the entitlements of the purchaser's
-- product when the purchaser has access.
--
-- seats is the number of seats of the subscription, and open_claim_count that of its open claims. Where there are more
-- claims than seats, nobody loses access.
-- @integer is_open, is_released_by_apple, seats, open_claim_count, unclaimed_at
CREATE VIEW customer_seat_claim AS
SELECT
  customer, seat_claim_id, environment, original_transaction_id, claimed_at, unclaimed_at, is_open, is_released_by_apple,
  seats,
  SUM(is_open) OVER (PARTITION BY as_of, known_at, original_transaction_key) AS open_claim_count,
  reason, author, entered_at, as_of, known_at, original_transaction_key, claim_id
FROM (
  SELECT
    c.customer, s.seat_claim_id, o.environment, o.original_transaction_id, s.claimed_at,
    CASE WHEN r.released_at IS NULL OR u.unclaimed_at <= r.released_at THEN u.unclaimed_at ELSE r.released_at END
      AS unclaimed_at,
    CASE WHEN u.unclaimed_at IS NULL AND r.released_at IS NULL THEN 1 ELSE 0 END AS is_open,
    CASE
      WHEN r.released_at IS NULL THEN 0
      WHEN u.unclaimed_at <= r.released_at THEN 0
      ELSE 1
    END AS is_released_by_apple,
    h.seats, s.reason, s.author, s.entered_at, a.as_of, a.known_at, s.original_transaction_key, s.claim_id
  FROM param_scope a
  JOIN seat_claim s ON s.original_transaction_key = a.original_transaction_key
  JOIN customer c ON c.customer_key = s.customer_key
  JOIN original_transaction o ON o.original_transaction_key = s.original_transaction_key
  LEFT JOIN state_history h
    ON h.known_at = a.known_at AND h.original_transaction_key = s.original_transaction_key
    AND h.begins_at <= a.as_of AND (h.ends_at IS NULL OR h.ends_at > a.as_of)
  LEFT JOIN (
    SELECT q.as_of, q.known_at, w.claim_id, MIN(w.unclaimed_at) AS unclaimed_at
    FROM param_query q CROSS JOIN seat_unclaim w
    WHERE w.unclaimed_at <= q.as_of AND w.entered_at <= q.known_at
    GROUP BY q.as_of, q.known_at, w.claim_id
  ) u ON u.as_of = a.as_of AND u.known_at = a.known_at AND u.claim_id = s.claim_id
  LEFT JOIN (
    SELECT q.as_of, q.known_at, w.seat_claim_id, MIN(p.evidence_at) AS released_at
    FROM param_query q
    CROSS JOIN seat_release w
    JOIN stg_payload p ON p.payload_id = w.payload_id
    WHERE p.evidence_at <= q.as_of AND p.recorded_at <= q.known_at
    GROUP BY q.as_of, q.known_at, w.seat_claim_id
  ) r ON r.as_of = a.as_of AND r.known_at = a.known_at AND r.seat_claim_id = s.seat_claim_id
  WHERE s.claimed_at <= a.as_of AND s.entered_at <= a.known_at
) claim;
