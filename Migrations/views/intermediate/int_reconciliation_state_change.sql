-- How the numbers of the ledger's subscriptions in each state change on each Pacific day of a reconciliation, and by days in
-- UTC (utc_units, utc_later_units). The sum of all days until one is the number at its end. later_units are those of the
-- time until Apple reversed a refund.
-- @integer ledger_units, utc_units, environment_units, later_units, utc_later_units
CREATE VIEW int_reconciliation_state_change AS
SELECT *
FROM (
  SELECT
    as_of, known_at, state, analytics_state, product_id, country, day_at,
    SUM(CASE WHEN is_pacific = 1 AND is_counted = 1 AND is_reversed = 0 THEN units ELSE 0 END) AS ledger_units,
    SUM(CASE WHEN is_utc = 1 AND is_counted = 1 AND is_reversed = 0 THEN units ELSE 0 END) AS utc_units,
    SUM(CASE WHEN is_pacific = 1 AND excluded_by = 'environment' AND is_reversed = 0 THEN units ELSE 0 END)
      AS environment_units,
    SUM(CASE WHEN is_pacific = 1 AND is_counted = 1 AND is_reversed = 1 THEN units ELSE 0 END) AS later_units,
    SUM(CASE WHEN is_utc = 1 AND is_counted = 1 AND is_reversed = 1 THEN units ELSE 0 END) AS utc_later_units
  FROM (
    SELECT
      s.as_of, s.known_at, s.state, s.analytics_state, s.product_id, s.country, s.is_counted, s.excluded_by,
      s.is_reversed, e.is_pacific, CASE WHEN e.is_end = 1 THEN -s.units ELSE s.units END AS units,
      -- A change on the same day in UTC is one row.
      CASE
        WHEN e.is_pacific = 0 THEN 1
        WHEN e.is_end = 0 THEN CASE WHEN s.first_utc_day_at = s.first_day_at THEN 1 ELSE 0 END
        ELSE CASE WHEN s.end_utc_day_at = s.end_day_at THEN 1 ELSE 0 END
      END AS is_utc,
      CASE
        WHEN e.is_end = 0 THEN CASE WHEN e.is_pacific = 1 THEN s.first_day_at ELSE s.first_utc_day_at END
        ELSE CASE WHEN e.is_pacific = 1 THEN s.end_day_at ELSE s.end_utc_day_at END
      END AS day_at
    FROM reconciliation_state s
    CROSS JOIN (
      SELECT 1 AS is_pacific, 0 AS is_end UNION ALL SELECT 1, 1 UNION ALL SELECT 0, 0 UNION ALL SELECT 0, 1
    ) e
    WHERE e.is_pacific = 1 OR e.is_end = 0 AND s.first_utc_day_at <> s.first_day_at
      OR e.is_end = 1 AND (s.end_day_at IS NULL OR s.end_utc_day_at <> s.end_day_at)
  ) changed
  WHERE day_at IS NOT NULL
  -- Rows differ most by day, so they are sorted by day first.
  GROUP BY day_at, country, product_id, state, analytics_state, as_of, known_at
) summed
-- Most renewals end one period and begin the next in the same state.
WHERE ledger_units <> 0 OR utc_units <> 0 OR environment_units <> 0 OR later_units <> 0 OR utc_later_units <> 0;
