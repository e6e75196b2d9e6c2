-- What Apple and the ledger count for each key and Pacific day of a reconciliation, and what is left when the days of Apple's
-- report are read as days in UTC (is_utc), where the units of each product and day fit better so. zone_difference is what
-- days in UTC explain, and zone_rest the rest. unmapped_units are those of the agreement whose product number leads to none.
-- @integer is_utc, unmapped_units, difference, zone_difference, zone_rest
CREATE VIEW int_reconciliation_rest AS
-- Read once, and used twice.
WITH counted AS (SELECT * FROM int_reconciliation_counted),
zone AS (
  SELECT
    as_of, known_at, agreement, SUM(unmapped_units) AS unmapped_units,
    CASE
      WHEN SUM(CASE WHEN utc_rest < 0 THEN -utc_rest ELSE utc_rest END)
        < SUM(CASE WHEN pacific_rest < 0 THEN -pacific_rest ELSE pacific_rest END)
      THEN 1
      ELSE 0
    END AS is_utc
  FROM (
    SELECT
      as_of, known_at, agreement,
      SUM(CASE WHEN is_report_missing = 0 THEN apple_units - utc_units ELSE 0 END) AS utc_rest,
      SUM(CASE WHEN is_report_missing = 0 THEN apple_units - ledger_units ELSE 0 END) AS pacific_rest,
      SUM(CASE WHEN is_report_missing = 0 AND product_id IS NULL THEN apple_units ELSE 0 END) AS unmapped_units
    FROM counted
    -- Rows differ most by day, so they are sorted by day first.
    GROUP BY day_at, product_id, measure, agreement, known_at, as_of
  ) summed
  GROUP BY agreement, known_at, as_of
)
SELECT
  c.*, z.is_utc, z.unmapped_units, c.apple_units - c.ledger_units AS difference,
  CASE WHEN z.is_utc = 1 THEN c.utc_units - c.ledger_units ELSE 0 END AS zone_difference,
  CASE WHEN z.is_utc = 1 THEN c.apple_units - c.utc_units ELSE c.apple_units - c.ledger_units END AS zone_rest
-- A cross join, so that the zone is looked up for each row.
FROM counted c
CROSS JOIN zone z
WHERE z.agreement = c.agreement AND z.known_at = c.known_at AND z.as_of = c.as_of;
