-- How many subscriptions Apple and the ledger have in each state at the end of each Pacific day of a reconciliation, in the
-- columns of int_reconciliation_key. later_units are those of ledger_units that Apple counted as refunded, until it reversed
-- the refund, and utc_later_units the same of utc_units.
-- @integer ledger_units, utc_units, zone_units, unsigned_units, environment_units, other_units, later_units, utc_later_units
-- @integer early_units, is_report_missing
CREATE VIEW int_reconciliation_state_key AS
-- Products and countries that are not known are '' until the end, so that joins can use an index.
WITH change AS (
  SELECT
    as_of, known_at, agreement, measure, COALESCE(product_id, '') AS product_id, COALESCE(country, '') AS country, day_at,
    SUM(apple_units) AS apple_units, SUM(ledger_units) AS ledger_units, SUM(utc_units) AS utc_units,
    SUM(environment_units) AS environment_units, SUM(later_units) AS later_units, SUM(utc_later_units) AS utc_later_units
  FROM (
    SELECT
      s.as_of, s.known_at, u.agreement, CASE WHEN u.agreement = 'states' THEN s.state ELSE s.analytics_state END AS measure,
      s.product_id, s.country, s.day_at, 0 AS apple_units, s.ledger_units, s.utc_units, s.environment_units,
      s.later_units, s.utc_later_units
    FROM int_reconciliation_state_change s
    JOIN int_reconciliation_report u ON u.known_at = s.known_at
    WHERE u.agreement IN ('states', 'analytics_states')
    UNION ALL
    SELECT as_of, known_at, agreement, measure, product_id, country, day_at, apple_units, 0, 0, 0, 0, 0
    FROM int_reconciliation_apple
    WHERE agreement IN ('states', 'analytics_states')
  ) changed
  -- Rows differ most by day, so they are sorted by day first.
  GROUP BY day_at, COALESCE(country, ''), COALESCE(product_id, ''), measure, agreement, as_of, known_at
),
-- Numbers are faster to sort and to join than texts.
numbered AS (
  SELECT
    c.*, DENSE_RANK() OVER (ORDER BY as_of, known_at, agreement, measure, product_id, country) AS key_number
  FROM change c
),
counted AS (
  SELECT
    k.as_of, k.known_at, k.agreement, k.measure, k.product_id, k.country, d.day_at, d.is_in_period,
    COALESCE(c.apple_units, 0) AS apple_units,
    SUM(COALESCE(c.ledger_units, 0)) OVER so_far AS ledger_units,
    SUM(COALESCE(c.utc_units, 0)) OVER so_far AS utc_units,
    SUM(COALESCE(c.environment_units, 0)) OVER so_far AS environment_units,
    SUM(COALESCE(c.later_units, 0)) OVER so_far AS later_units,
    SUM(COALESCE(c.utc_later_units, 0)) OVER so_far AS utc_later_units
  FROM (SELECT DISTINCT key_number, as_of, known_at, agreement, measure, product_id, country FROM numbered) k
  CROSS JOIN int_reconciliation_day d
  LEFT JOIN numbered c ON c.key_number = k.key_number AND c.day_at = d.day_at
  WINDOW so_far AS (
    PARTITION BY k.key_number ORDER BY d.day_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  )
)
SELECT
  c.as_of, c.known_at, c.agreement, c.measure, CASE WHEN c.product_id <> '' THEN c.product_id END AS product_id,
  CASE WHEN c.country <> '' THEN c.country END AS country, CAST(NULL AS VARCHAR(3)) AS currency,
  CAST(NULL AS BIGINT) AS price_milliunits, c.day_at, c.apple_units, c.ledger_units, c.utc_units,
  CASE WHEN c.utc_units > c.ledger_units THEN c.utc_units - c.ledger_units ELSE c.ledger_units - c.utc_units END
    AS zone_units,
  0 AS unsigned_units, c.environment_units, 0 AS other_units, c.later_units, c.utc_later_units, 0 AS early_units,
  CAST(NULL AS BIGINT) AS apple_amount_milliunits, CAST(NULL AS BIGINT) AS ledger_amount_milliunits, c.is_in_period,
  CASE WHEN r.day_at IS NULL THEN 1 ELSE 0 END AS is_report_missing
FROM counted c
JOIN int_reconciliation_report x ON x.known_at = c.known_at AND x.agreement = c.agreement
LEFT JOIN int_reconciliation_report_day r
  ON r.known_at = c.known_at AND r.day_at = c.day_at AND r.agreement = c.agreement
WHERE c.apple_units <> 0 OR c.ledger_units <> 0 OR c.utc_units <> 0 OR c.environment_units <> 0;
