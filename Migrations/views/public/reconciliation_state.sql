-- The states of the ledger's subscriptions in Apple's terms, for a reconciliation with the report about subscriptions. Each
-- row counts at the end of each Pacific day from first_day_at until end_day_at (NULL: no end). first_utc_day_at and
-- end_utc_day_at are the same for days in UTC.
--
-- state has the names of apple_report_figure.measure, and analytics_state those of the report of analytics. is_reversed: 1 for
-- the time in which Apple counted the subscription as refunded, before it reversed the refund. The ledger counts it as if
-- no refund had been.
-- @integer first_utc_day_at, end_day_at, end_utc_day_at, is_reversed
CREATE VIEW reconciliation_state AS
WITH stated AS (
  SELECT
    t.as_of, h.known_at, h.begins_at, h.ends_at, t.environment, t.bundle_id, h.original_transaction_id,
    t.transaction_id, h.original_transaction_key, h.product_id, t.storefront AS country,
    CASE
      WHEN t.environment <> 'Production' THEN 'environment'
      WHEN t.is_paid_by_owner = 0 THEN 'ownership'
    END AS excluded_by,
    CASE
      WHEN h.state <> 'active' THEN h.state
      WHEN t.offer_type IS NULL AND t.is_free = 0 AND COALESCE(t.is_in_intro_offer_period, 0) = 0
      THEN 'active_standard_price'
      WHEN t.is_free = 1
      THEN CASE t.offer_type
        WHEN 2 THEN 'free_trial_promotional' WHEN 3 THEN 'free_trial_offer_code' WHEN 4 THEN 'free_trial_win_back'
        ELSE 'free_trial_introductory'
      END
      WHEN t.offer_discount_type = 'PAY_UP_FRONT'
      THEN CASE t.offer_type
        WHEN 2 THEN 'pay_up_front_promotional' WHEN 3 THEN 'pay_up_front_offer_code'
        WHEN 4 THEN 'pay_up_front_win_back' ELSE 'pay_up_front_introductory'
      END
      ELSE CASE t.offer_type
        WHEN 2 THEN 'pay_as_you_go_promotional' WHEN 3 THEN 'pay_as_you_go_offer_code'
        WHEN 4 THEN 'pay_as_you_go_win_back' ELSE 'pay_as_you_go_introductory'
      END
    END AS state
  -- A cross join, so that transactions are looked up for each state.
  FROM state_history h
  CROSS JOIN transaction_current t
  CROSS JOIN (SELECT DISTINCT bundle_id FROM param_reconciliation) p
  WHERE t.known_at = h.known_at AND t.original_transaction_key = h.original_transaction_key
    AND t.transaction_key = h.transaction_key AND h.state IN ('active', 'grace_period', 'billing_retry')
    AND (p.bundle_id IS NULL OR t.bundle_id = p.bundle_id)
),
period AS (
  SELECT MIN(day_at) AS day_at, MIN(begins_at) AS first_at, MAX(ends_at) AS last_at FROM int_reconciliation_day
)
SELECT
  s.as_of, s.known_at, s.state,
  CASE
    WHEN s.state = 'active_standard_price' THEN 'full_price'
    WHEN s.state LIKE 'free_trial%' THEN 'free_trials'
    WHEN s.state LIKE 'pay%' THEN 'paid_offers'
    ELSE s.state
  END AS analytics_state,
  s.product_id, s.country,
  -- What began before the days counts from the first one. What ends after them has no end here.
  COALESCE((s.begins_at + b.utc_offset) / 86400000 * 86400000, p.day_at) AS first_day_at,
  (s.ends_at + e.utc_offset) / 86400000 * 86400000 AS end_day_at,
  CASE WHEN s.begins_at < p.first_at THEN p.day_at ELSE s.begins_at / 86400000 * 86400000 END AS first_utc_day_at,
  CASE WHEN s.ends_at < p.last_at THEN s.ends_at / 86400000 * 86400000 END AS end_utc_day_at,
  1 AS units, s.is_reversed, CASE WHEN s.excluded_by IS NULL THEN 1 ELSE 0 END AS is_counted, s.excluded_by,
  s.environment, s.bundle_id, s.original_transaction_id, s.transaction_id, s.original_transaction_key
FROM (
  SELECT
    as_of, known_at, begins_at, ends_at, environment, bundle_id, original_transaction_id, transaction_id,
    original_transaction_key, product_id, country, excluded_by, state, 0 AS is_reversed
  FROM stated
  UNION ALL
  SELECT
    s.as_of, s.known_at, CASE WHEN s.begins_at < r.revoked_at THEN r.revoked_at ELSE s.begins_at END,
    CASE WHEN s.ends_at < r.reversed_at THEN s.ends_at ELSE r.reversed_at END, s.environment, s.bundle_id,
    s.original_transaction_id, s.transaction_id, s.original_transaction_key, s.product_id, s.country, s.excluded_by,
    s.state, 1
  FROM stated s
  JOIN int_reversed_refund r
    ON r.known_at = s.known_at AND r.original_transaction_key = s.original_transaction_key
    AND r.reversed_at > s.begins_at AND (s.ends_at IS NULL OR s.ends_at > r.revoked_at)
) s
CROSS JOIN period p
LEFT JOIN int_reconciliation_clock b ON b.begins_at <= s.begins_at AND b.ends_at > s.begins_at
LEFT JOIN int_reconciliation_clock e ON e.begins_at <= s.ends_at AND e.ends_at > s.ends_at
WHERE s.begins_at < p.last_at AND (s.ends_at IS NULL OR s.ends_at >= p.first_at);
