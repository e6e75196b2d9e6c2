-- What Apple and the ledger count for each key and Pacific day of a reconciliation, and what is left when the days of Apple's
-- report are read as days in UTC (is_utc) where this fits better. zone_difference is what days in UTC explain, and zone_rest
-- the rest.
-- @integer apple_units, ledger_units, utc_units, zone_units, unsigned_units, environment_units, other_units, later_units
-- @integer utc_later_units, early_units, is_in_period, is_report_missing, unmapped_units, is_utc, difference
-- @integer zone_difference, zone_rest
CREATE VIEW int_reconciliation_rest AS
WITH counted AS (
  SELECT
    as_of, known_at, agreement, measure, product_id, country, currency, price_milliunits, day_at, apple_units,
    ledger_units, utc_units, zone_units, unsigned_units, environment_units, other_units, later_units,
    utc_later_units, early_units, apple_amount_milliunits, ledger_amount_milliunits, is_in_period, is_report_missing
  FROM int_reconciliation_key
  UNION ALL
  SELECT
    as_of, known_at, agreement, measure, product_id, country, currency, price_milliunits, day_at, apple_units,
    ledger_units, utc_units, zone_units, unsigned_units, environment_units, other_units, later_units,
    utc_later_units, early_units, apple_amount_milliunits, ledger_amount_milliunits, is_in_period, is_report_missing
  FROM int_reconciliation_state_key
),
-- Whether the days of Apple's report are days in UTC: where the units of each product and day fit better so. unmapped_units
-- are those whose product number leads to none.
zone AS (
  SELECT
    p.*,
    SUM(CASE WHEN is_report_missing = 0 AND product_id IS NULL THEN apple_units ELSE 0 END) OVER of_agreement
      AS unmapped_units,
    CASE
      WHEN SUM(CASE WHEN row_rank > 1 THEN 0 WHEN utc_rest < 0 THEN -utc_rest ELSE utc_rest END) OVER of_agreement
        < SUM(CASE WHEN row_rank > 1 THEN 0 WHEN pacific_rest < 0 THEN -pacific_rest ELSE pacific_rest END)
          OVER of_agreement
      THEN 1
      ELSE 0
    END AS is_utc
  FROM (
    SELECT
      c.*,
      SUM(CASE WHEN is_report_missing = 0 THEN apple_units - utc_units ELSE 0 END) OVER of_product AS utc_rest,
      SUM(CASE WHEN is_report_missing = 0 THEN apple_units - ledger_units ELSE 0 END) OVER of_product AS pacific_rest,
      ROW_NUMBER() OVER of_product_row AS row_rank
    FROM counted c
    WINDOW
      of_product AS (PARTITION BY as_of, known_at, agreement, measure, product_id, day_at),
      of_product_row AS (
        PARTITION BY as_of, known_at, agreement, measure, product_id, day_at ORDER BY country, currency, price_milliunits
      )
  ) p
  WINDOW of_agreement AS (PARTITION BY as_of, known_at, agreement)
)
SELECT
  z.*, apple_units - ledger_units AS difference,
  CASE WHEN is_utc = 1 THEN utc_units - ledger_units ELSE 0 END AS zone_difference,
  CASE WHEN is_utc = 1 THEN apple_units - utc_units ELSE apple_units - ledger_units END AS zone_rest
FROM zone z;
