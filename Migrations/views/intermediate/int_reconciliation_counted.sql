-- What Apple and the ledger count for each key and Pacific day of a reconciliation.
-- @integer apple_units, ledger_units, utc_units, zone_units, unsigned_units, environment_units, other_units, later_units
-- @integer utc_later_units, early_units, is_in_period, is_report_missing
CREATE VIEW int_reconciliation_counted AS
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
FROM int_reconciliation_state_key;
