-- What Apple and the ledger count for each key and Pacific day of a reconciliation, and what is left when the days of Apple's
-- report are read as days in UTC (is_utc) where this fits better. zone_difference is what days in UTC explain, and zone_rest
-- the rest.
-- @integer is_utc, unmapped_units, difference, zone_difference, zone_rest
CREATE VIEW int_reconciliation_rest AS
SELECT
  c.*, z.is_utc, z.unmapped_units, c.apple_units - c.ledger_units AS difference,
  CASE WHEN z.is_utc = 1 THEN c.utc_units - c.ledger_units ELSE 0 END AS zone_difference,
  CASE WHEN z.is_utc = 1 THEN c.apple_units - c.utc_units ELSE c.apple_units - c.ledger_units END AS zone_rest
-- A cross join, so that the zone is looked up for each row.
FROM int_reconciliation_counted c
CROSS JOIN int_reconciliation_zone z
WHERE z.agreement = c.agreement AND z.known_at = c.known_at AND z.as_of = c.as_of;
