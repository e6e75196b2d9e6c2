-- Every instant at which an answer can change. Here as_of is that instant. No answer changes between two of these
-- instants. So the whole history of a subscription needs only a few rows.
--
-- An answer can change when (rules §3 to §5):
--   - a period begins, ends, or ends early, by a refund or an upgrade
--   - Apple states renewal info
--   - a grace period ends
--   - billing retry ends, counted from the end of a period
--
-- decides_at is as_of where a row of int_deciding_period begins, and info_at is as_of where Apple states renewal info.
-- An instant may have several rows. A GROUP BY would make SQLite expect few of them, and then it passes over whole
-- tables for each (GrowthTests).
-- @integer info_at
CREATE VIEW int_change_instant AS
WITH period AS (
  SELECT
    known_at, original_transaction_key, decides_at, expires_at,
    CASE WHEN is_upgraded = 0 THEN revoked_at ELSE superseded_at END AS cut_at,
    COALESCE(succeeded_at, 9223372036854775807) AS succeeded_at
  FROM int_deciding_period
)
SELECT
  known_at, original_transaction_key, instant AS as_of, decides_at, info_at
FROM (
  SELECT
    known_at, original_transaction_key, decides_at AS instant, decides_at, CAST(NULL AS BIGINT) AS info_at
  FROM period
  UNION ALL
  SELECT known_at, original_transaction_key, expires_at, NULL, NULL FROM period WHERE expires_at < succeeded_at
  UNION ALL
  SELECT known_at, original_transaction_key, cut_at, NULL, NULL FROM period WHERE cut_at < succeeded_at
  UNION ALL
  SELECT p.known_at, p.original_transaction_key, p.expires_at + c.billing_retry_duration, NULL, NULL
  FROM period p CROSS JOIN rule_constant c
  WHERE p.expires_at + c.billing_retry_duration < p.succeeded_at
  UNION ALL
  SELECT known_at, original_transaction_key, evidence_at, NULL, evidence_at FROM int_renewal_info_history
  UNION ALL
  SELECT known_at, original_transaction_key, grace_period_expires_at, NULL, NULL
  FROM int_renewal_info_history
  WHERE grace_period_expires_at IS NOT NULL
) change;
