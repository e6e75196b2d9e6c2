-- The access of each subscription period, from state_history: when access ended, its grace period and its auto-renewal.
-- @integer access_until
CREATE VIEW int_period_access AS
SELECT
  known_at, original_transaction_key, purchase_at,
  MAX(CASE WHEN has_access = 1 THEN COALESCE(ends_at, access_ends_at) END) AS access_until,
  MAX(grace_period_expires_at) AS grace_period_end_at,
  -- NULL unless auto-renew was off at the end of the period. It is the end of the last time with auto-renew on. If
  -- there was none, it is the first instant with auto-renew off.
  CASE
    WHEN MAX(CASE WHEN will_renew = 0 THEN begins_at END) > COALESCE(MAX(CASE WHEN will_renew = 1 THEN begins_at END),
      0)
    THEN COALESCE(MAX(CASE WHEN will_renew = 1 THEN ends_at END), MIN(CASE WHEN will_renew = 0 THEN begins_at END))
  END AS unsubscribe_detected_at,
  MIN(CASE WHEN state IN ('grace_period', 'billing_retry') THEN begins_at END) AS billing_issues_detected_at
FROM state_history
GROUP BY known_at, original_transaction_key, purchase_at;
