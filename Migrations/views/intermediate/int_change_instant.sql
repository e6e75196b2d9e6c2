-- Every instant at which an answer can change. Here as_of is that instant. No answer changes between two of these
-- instants. So the whole history of a subscription needs only a few rows. The columns are those of
-- int_decision_instant.
--
-- An answer can change when (rules §3 to §5):
--   - a period begins, ends, or ends early
--   - Apple states renewal info
--   - a grace period ends
--   - billing retry ends, counted from the end of a period
CREATE VIEW int_change_instant AS
WITH period AS (
  -- cut_at is when a period ends early, by a refund or an upgrade (rules §4).
  SELECT d.*, CASE WHEN is_upgraded = 0 THEN revoked_at ELSE superseded_at END AS cut_at
  FROM int_deciding_period_end d
),
instant_of_change AS (
  SELECT known_at, original_transaction_key, purchase_at AS instant, purchase_at,
    CAST(NULL AS BIGINT) AS info_at FROM period
  UNION ALL
  SELECT
    t.known_at, t.original_transaction_key,
    CASE m.kind
      WHEN 1 THEN t.expires_at WHEN 2 THEN t.cut_at
      ELSE t.expires_at + (SELECT billing_retry_duration FROM rule_constant)
    END, NULL, NULL
  FROM period t
  CROSS JOIN (SELECT 1 AS kind UNION ALL SELECT 2 UNION ALL SELECT 3) m
  WHERE CASE m.kind
      WHEN 1 THEN t.expires_at WHEN 2 THEN t.cut_at
      ELSE t.expires_at + (SELECT billing_retry_duration FROM rule_constant)
    END < COALESCE(t.succeeded_at, 9223372036854775807)
  UNION ALL
  SELECT known_at, original_transaction_key, evidence_at, NULL, evidence_at FROM int_renewal_info_instant
  UNION ALL
  SELECT w.known_at, w.original_transaction_key, s.grace_period_expires_at, NULL, NULL
  FROM int_renewal_info_instant w
  JOIN renewal_info_version v ON v.version_id = w.version_id
  JOIN renewal_info s ON s.renewal_info_id = v.renewal_info_id
  WHERE s.grace_period_expires_at IS NOT NULL
),
-- Rows with the same instant get the same result; keep the first.
change_point AS (
  SELECT
    known_at, original_transaction_key, instant,
    MAX(purchase_at) OVER past AS purchase_at,
    MAX(info_at) OVER past AS last_at,
    MIN(info_at) OVER (
      PARTITION BY known_at, original_transaction_key ORDER BY instant RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
    ) AS next_at,
    LAG(instant) OVER past AS previous_at
  FROM instant_of_change
  WINDOW past AS (PARTITION BY known_at, original_transaction_key ORDER BY instant)
)
SELECT
  p.instant AS as_of, p.known_at, p.original_transaction_key, t.version_id, t.transaction_key,
  t.deciding_evidence_at, t.product_id, t.purchase_at, t.expires_at, t.revoked_at, t.is_upgraded,
  e.evidence_at, e.uncontradicted_evidence_at, p.last_at, p.next_at
FROM change_point p
LEFT JOIN period t
  ON t.known_at = p.known_at AND t.original_transaction_key = p.original_transaction_key
  AND t.purchase_at = p.purchase_at
LEFT JOIN int_last_evidence e
  ON e.known_at = p.known_at AND e.original_transaction_key = p.original_transaction_key
WHERE p.purchase_at IS NOT NULL AND (p.previous_at IS NULL OR p.previous_at < p.instant);
