-- How the numbers of the ledger's subscriptions in each state change on each Pacific day of a reconciliation, and by days in
-- UTC (utc_units, utc_later_units). The sum of all days until one is the number at its end. later_units are those of the
-- time until Apple reversed a refund.
-- @integer ledger_units, utc_units, environment_units, later_units, utc_later_units
CREATE VIEW int_reconciliation_state_change AS
SELECT
  as_of, known_at, state, analytics_state, product_id, country, day_at,
  SUM(CASE WHEN is_utc = 0 AND is_counted = 1 AND is_reversed = 0 THEN units ELSE 0 END) AS ledger_units,
  SUM(CASE WHEN is_utc = 1 AND is_counted = 1 AND is_reversed = 0 THEN units ELSE 0 END) AS utc_units,
  SUM(CASE WHEN is_utc = 0 AND excluded_by = 'environment' AND is_reversed = 0 THEN units ELSE 0 END) AS environment_units,
  SUM(CASE WHEN is_utc = 0 AND is_counted = 1 AND is_reversed = 1 THEN units ELSE 0 END) AS later_units,
  SUM(CASE WHEN is_utc = 1 AND is_counted = 1 AND is_reversed = 1 THEN units ELSE 0 END) AS utc_later_units
FROM (
  SELECT
    s.as_of, s.known_at, s.state, s.analytics_state, s.product_id, s.country, s.is_counted, s.excluded_by, s.is_reversed,
    e.is_utc, CASE WHEN e.is_end = 1 THEN -s.units ELSE s.units END AS units,
    CASE
      WHEN e.is_utc = 0 AND e.is_end = 0 THEN s.first_day_at
      WHEN e.is_utc = 0 THEN s.end_day_at
      WHEN e.is_end = 0 THEN s.first_utc_day_at
      ELSE s.end_utc_day_at
    END AS day_at
  FROM reconciliation_state s
  CROSS JOIN (
    SELECT 0 AS is_utc, 0 AS is_end UNION ALL SELECT 0, 1 UNION ALL SELECT 1, 0 UNION ALL SELECT 1, 1
  ) e
) changed
WHERE day_at IS NOT NULL
-- Rows differ most by day, so they are sorted by day first.
GROUP BY day_at, country, product_id, state, analytics_state, as_of, known_at;
