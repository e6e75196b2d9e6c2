-- What Apple and the ledger count for each key and Pacific day of a reconciliation, without states. An agreement has
-- rows only where a report of its type is imported.
--
--   ledger_units       what the ledger counts
--   utc_units          the same purchases by their days in UTC
--   zone_units         of ledger_units those that are of another day in UTC
--   unsigned_units     of ledger_units those that nothing signed states
--   environment_units  not counted: of another environment
--   other_units        not counted, although they have a price
--   later_units, utc_later_units  0: see int_reconciliation_state_key
-- @integer ledger_units, utc_units, zone_units, unsigned_units, environment_units, other_units, later_units, utc_later_units
-- @integer is_report_missing
CREATE VIEW int_reconciliation_key AS
WITH item AS (
  SELECT
    as_of, known_at, agreement, CAST(NULL AS VARCHAR(64)) AS measure, product_id, country, currency, price_milliunits, day_at,
    utc_day_at, SUM(CASE WHEN is_counted = 1 THEN units ELSE 0 END) AS ledger_units,
    SUM(CASE WHEN is_counted = 1 AND is_signed = 0 THEN units ELSE 0 END) AS unsigned_units,
    SUM(CASE WHEN excluded_by = 'environment' THEN units ELSE 0 END) AS environment_units,
    SUM(CASE WHEN is_counted = 0 AND excluded_by <> 'environment' AND price_milliunits > 0 THEN units ELSE 0 END)
      AS other_units,
    SUM(CASE WHEN is_counted = 1 THEN amount_milliunits END) AS ledger_amount_milliunits
  FROM reconciliation_item
  GROUP BY as_of, known_at, agreement, product_id, country, currency, price_milliunits, day_at, utc_day_at
  UNION ALL
  SELECT
    as_of, known_at, 'events', kind, product_id, country, NULL, NULL, day_at, utc_day_at,
    SUM(CASE WHEN is_counted = 1 THEN units ELSE 0 END),
    SUM(CASE WHEN is_counted = 1 AND is_signed = 0 THEN units ELSE 0 END),
    SUM(CASE WHEN excluded_by = 'environment' THEN units ELSE 0 END), 0, NULL
  FROM reconciliation_event
  GROUP BY as_of, known_at, kind, product_id, country, day_at, utc_day_at
),
stated AS (
  SELECT
    as_of, known_at, agreement, measure, product_id, country, currency, price_milliunits, day_at, apple_units,
    0 AS ledger_units, 0 AS utc_units, 0 AS zone_units, 0 AS unsigned_units, 0 AS environment_units, 0 AS other_units,
    apple_amount_milliunits, CAST(NULL AS BIGINT) AS ledger_amount_milliunits
  FROM int_reconciliation_apple
  WHERE agreement <> 'states'
  UNION ALL
  SELECT
    as_of, known_at, agreement, measure, product_id, country, currency, price_milliunits, day_at, 0, ledger_units, 0,
    CASE WHEN day_at <> utc_day_at THEN ledger_units ELSE 0 END, unsigned_units, environment_units, other_units, NULL,
    ledger_amount_milliunits
  FROM item
  UNION ALL
  SELECT
    as_of, known_at, agreement, measure, product_id, country, currency, price_milliunits, utc_day_at, 0, 0, ledger_units, 0,
    0, 0, 0, NULL, NULL
  FROM item
)
SELECT
  s.as_of, s.known_at, s.agreement, s.measure, s.product_id, s.country, s.currency, s.price_milliunits, s.day_at,
  SUM(s.apple_units) AS apple_units, SUM(s.ledger_units) AS ledger_units, SUM(s.utc_units) AS utc_units,
  SUM(s.zone_units) AS zone_units,
  SUM(s.unsigned_units) AS unsigned_units, SUM(s.environment_units) AS environment_units,
  SUM(s.other_units) AS other_units, 0 AS later_units, 0 AS utc_later_units,
  SUM(s.apple_amount_milliunits) AS apple_amount_milliunits,
  SUM(s.ledger_amount_milliunits) AS ledger_amount_milliunits, d.is_in_period,
  MIN(CASE WHEN r.report_count > 0 THEN 0 ELSE 1 END) AS is_report_missing
FROM stated s
JOIN int_reconciliation_day d ON d.day_at = s.day_at
JOIN (SELECT DISTINCT known_at, type FROM stg_apple_report WHERE first_day_at = last_day_at) x
  ON x.known_at = s.known_at
  AND x.type = CASE
    WHEN s.agreement = 'events' THEN 'subscription_event'
    WHEN s.agreement IN ('payments', 'refunds') THEN 'subscriber'
    ELSE 'sales'
  END
LEFT JOIN (
  SELECT known_at, type, first_day_at AS day_at, COUNT(*) AS report_count
  FROM stg_apple_report
  WHERE first_day_at = last_day_at
  GROUP BY known_at, type, first_day_at
) r
  ON r.known_at = s.known_at AND r.day_at = s.day_at
  AND r.type = CASE
    WHEN s.agreement = 'events' THEN 'subscription_event'
    WHEN s.agreement IN ('payments', 'refunds') THEN 'subscriber'
    ELSE 'sales'
  END
GROUP BY
  s.as_of, s.known_at, s.agreement, s.measure, s.product_id, s.country, s.currency, s.price_milliunits, s.day_at,
  d.is_in_period;
