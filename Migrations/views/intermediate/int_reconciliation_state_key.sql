-- How many subscriptions Apple and the ledger have in each state at the end of each Pacific day of a reconciliation, in the
-- columns of int_reconciliation_key. later_units are those of ledger_units that Apple counted as refunded, until it reversed
-- the refund, and utc_later_units the same of utc_units.
-- @integer ledger_units, utc_units, zone_units, unsigned_units, environment_units, other_units, later_units, utc_later_units
-- @integer early_units, is_report_missing
CREATE VIEW int_reconciliation_state_key AS
WITH stated AS (
  SELECT
    as_of, known_at, state AS measure, product_id, country, first_day_at, end_day_at, first_utc_day_at, end_utc_day_at,
    SUM(CASE WHEN is_counted = 1 AND is_reversed = 0 THEN units ELSE 0 END) AS ledger_units,
    SUM(CASE WHEN excluded_by = 'environment' AND is_reversed = 0 THEN units ELSE 0 END) AS environment_units,
    SUM(CASE WHEN is_counted = 1 AND is_reversed = 1 THEN units ELSE 0 END) AS later_units
  FROM reconciliation_state
  GROUP BY as_of, known_at, state, product_id, country, first_day_at, end_day_at, first_utc_day_at, end_utc_day_at
),
change AS (
  SELECT
    as_of, known_at, measure, product_id, country, day_at, SUM(apple_units) AS apple_units,
    SUM(ledger_units) AS ledger_units, SUM(utc_units) AS utc_units, SUM(environment_units) AS environment_units,
    SUM(later_units) AS later_units, SUM(utc_later_units) AS utc_later_units
  FROM (
    SELECT
      as_of, known_at, measure, product_id, country, first_day_at AS day_at, 0 AS apple_units, ledger_units, 0 AS utc_units,
      environment_units, later_units, 0 AS utc_later_units
    FROM stated
    UNION ALL
    SELECT
      as_of, known_at, measure, product_id, country, end_day_at, 0, -ledger_units, 0, -environment_units, -later_units, 0
    FROM stated
    WHERE end_day_at IS NOT NULL
    UNION ALL
    SELECT as_of, known_at, measure, product_id, country, first_utc_day_at, 0, 0, ledger_units, 0, 0, later_units
    FROM stated
    UNION ALL
    SELECT as_of, known_at, measure, product_id, country, end_utc_day_at, 0, 0, -ledger_units, 0, 0, -later_units
    FROM stated
    WHERE end_utc_day_at IS NOT NULL
    UNION ALL
    SELECT as_of, known_at, measure, product_id, country, day_at, apple_units, 0, 0, 0, 0, 0
    FROM int_reconciliation_apple
    WHERE agreement = 'states'
  ) changed
  GROUP BY as_of, known_at, measure, product_id, country, day_at
),
counted AS (
  SELECT
    k.as_of, k.known_at, k.measure, k.product_id, k.country, d.day_at, d.is_in_period,
    COALESCE(c.apple_units, 0) AS apple_units,
    SUM(COALESCE(c.ledger_units, 0)) OVER so_far AS ledger_units,
    SUM(COALESCE(c.utc_units, 0)) OVER so_far AS utc_units,
    SUM(COALESCE(c.environment_units, 0)) OVER so_far AS environment_units,
    SUM(COALESCE(c.later_units, 0)) OVER so_far AS later_units,
    SUM(COALESCE(c.utc_later_units, 0)) OVER so_far AS utc_later_units
  FROM (SELECT DISTINCT as_of, known_at, measure, product_id, country FROM change) k
  CROSS JOIN int_reconciliation_day d
  LEFT JOIN change c
    ON c.day_at = d.day_at AND c.as_of = k.as_of AND c.known_at = k.known_at AND c.measure = k.measure
    AND COALESCE(c.product_id, '') = COALESCE(k.product_id, '') AND COALESCE(c.country, '') = COALESCE(k.country, '')
  WINDOW so_far AS (
    PARTITION BY k.as_of, k.known_at, k.measure, k.product_id, k.country ORDER BY d.day_at
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  )
)
SELECT
  c.as_of, c.known_at, 'states' AS agreement, c.measure, c.product_id, c.country, CAST(NULL AS VARCHAR(3)) AS currency,
  CAST(NULL AS BIGINT) AS price_milliunits, c.day_at, c.apple_units, c.ledger_units, c.utc_units,
  CASE WHEN c.utc_units > c.ledger_units THEN c.utc_units - c.ledger_units ELSE c.ledger_units - c.utc_units END
    AS zone_units,
  0 AS unsigned_units, c.environment_units, 0 AS other_units, c.later_units, c.utc_later_units, 0 AS early_units,
  CAST(NULL AS BIGINT) AS apple_amount_milliunits, CAST(NULL AS BIGINT) AS ledger_amount_milliunits, c.is_in_period,
  CASE WHEN r.day_at IS NULL THEN 1 ELSE 0 END AS is_report_missing
FROM counted c
JOIN (SELECT DISTINCT known_at FROM stg_apple_report WHERE type = 'subscription' AND first_day_at = last_day_at) x
  ON x.known_at = c.known_at
LEFT JOIN (
  SELECT DISTINCT known_at, first_day_at AS day_at
  FROM stg_apple_report
  WHERE type = 'subscription' AND first_day_at = last_day_at
) r
  ON r.known_at = c.known_at AND r.day_at = c.day_at
WHERE c.apple_units <> 0 OR c.ledger_units <> 0 OR c.utc_units <> 0 OR c.environment_units <> 0;
