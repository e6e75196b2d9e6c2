-- Whether the days of Apple's reports of an agreement are days in UTC: where the units of each product and day fit better
-- so. unmapped_units are those whose product number leads to none.
-- @integer unmapped_units, is_utc
-- @key agreement, known_at, as_of
CREATE VIEW int_reconciliation_zone AS
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
  FROM int_reconciliation_counted
  -- Rows differ most by day, so they are sorted by day first.
  GROUP BY day_at, product_id, measure, agreement, known_at, as_of
) summed
GROUP BY agreement, known_at, as_of;
