-- What Apple and the ledger count for each key and Pacific day of a reconciliation, without states. An agreement has
-- rows only where a report of its type is imported. The agreement finance has one day for a fiscal month: its first.
--
--   ledger_units       what the ledger counts
--   utc_units          the same purchases by their days in UTC
--   zone_units         of ledger_units those that are of another day in UTC
--   unsigned_units     of ledger_units those that nothing signed states
--   environment_units  not counted: of another environment
--   other_units        not counted, although they have a price
--   later_units        of finance: those of ledger_units of the last 10 days of the month, which Apple may settle in the next
--   early_units        of finance: those of the 10 days before the month. See int_reconciliation_state_key for states
-- @integer ledger_units, utc_units, zone_units, unsigned_units, environment_units, other_units, later_units, utc_later_units
-- @integer early_units, is_report_missing
CREATE VIEW int_reconciliation_key AS
WITH stated AS (
  SELECT
    a.as_of, a.known_at, a.agreement, a.measure, a.product_id, a.country, a.currency, a.price_milliunits, a.day_at,
    a.apple_units, 0 AS ledger_units, 0 AS utc_units, 0 AS zone_units, 0 AS unsigned_units, 0 AS environment_units,
    0 AS other_units, 0 AS later_units, 0 AS early_units, a.apple_amount_milliunits,
    CAST(NULL AS BIGINT) AS ledger_amount_milliunits
  FROM int_reconciliation_apple a
  WHERE a.agreement NOT IN ('states', 'analytics_states')
  UNION ALL
  SELECT
    as_of, known_at, agreement, measure, product_id, country, currency, price_milliunits, day_at, 0,
    CASE WHEN is_counted = 1 AND is_ledger = 1 THEN units ELSE 0 END,
    CASE WHEN is_counted = 1 AND is_utc = 1 THEN units ELSE 0 END,
    CASE WHEN is_counted = 1 AND is_utc = 0 AND part = 'day' THEN units ELSE 0 END,
    CASE WHEN is_counted = 1 AND is_ledger = 1 AND is_signed = 0 THEN units ELSE 0 END,
    CASE WHEN excluded_by = 'environment' AND is_ledger = 1 THEN units ELSE 0 END,
    CASE
      WHEN is_counted = 0 AND excluded_by <> 'environment' AND is_ledger = 1 AND price_milliunits > 0 THEN units
      ELSE 0
    END,
    CASE WHEN is_counted = 1 AND part = 'month' AND is_late = 1 THEN units ELSE 0 END,
    CASE WHEN is_counted = 1 AND part = 'early' THEN units ELSE 0 END, NULL,
    CASE WHEN is_counted = 1 AND is_ledger = 1 THEN amount_milliunits END
  FROM (
    SELECT
      i.as_of, i.known_at, i.product_id, i.country, i.currency, i.is_counted, i.excluded_by, i.is_signed, i.units,
      i.amount_milliunits, u.part, CASE WHEN u.part IN ('day', 'month') THEN 1 ELSE 0 END AS is_ledger,
      -- A purchase of the same day in UTC is in one row with its Pacific day.
      CASE WHEN u.part IN ('utc', 'month') OR u.part = 'day' AND i.utc_day_at = i.day_at THEN 1 ELSE 0 END AS is_utc,
      CASE WHEN u.part IN ('day', 'utc') THEN i.agreement ELSE 'finance' END AS agreement,
      CASE
        WHEN u.part IN ('day', 'utc') THEN CAST(NULL AS VARCHAR(64))
        WHEN i.agreement = 'sales' THEN 'sales'
        ELSE 'returns'
      END AS measure,
      CASE WHEN u.part IN ('day', 'utc') THEN i.price_milliunits END AS price_milliunits,
      CASE u.part WHEN 'day' THEN i.day_at WHEN 'utc' THEN i.utc_day_at ELSE m.first_day_at END AS day_at,
      CASE WHEN i.day_at > m.last_day_at - 864000000 THEN 1 ELSE 0 END AS is_late
    FROM reconciliation_item i
    CROSS JOIN (
      SELECT 'day' AS part UNION ALL SELECT 'utc' UNION ALL SELECT 'month' UNION ALL SELECT 'early'
    ) u
    LEFT JOIN int_reconciliation_month m
      ON m.known_at = i.known_at AND (
        u.part = 'month' AND i.day_at >= m.first_day_at AND i.day_at <= m.last_day_at
        OR u.part = 'early' AND i.day_at >= m.first_day_at - 864000000 AND i.day_at < m.first_day_at
      )
    WHERE u.part = 'day' AND i.agreement <> 'finance_returns'
      OR u.part = 'utc' AND i.agreement <> 'finance_returns' AND i.utc_day_at <> i.day_at
      OR u.part IN ('month', 'early') AND i.agreement IN ('sales', 'finance_returns') AND m.first_day_at IS NOT NULL
  ) used
  UNION ALL
  SELECT
    e.as_of, e.known_at, r.agreement, e.kind, e.product_id, e.country, NULL, NULL,
    CASE WHEN u.is_utc = 1 THEN e.utc_day_at ELSE e.day_at END, 0,
    CASE WHEN e.is_counted = 1 AND u.is_utc = 0 THEN e.units ELSE 0 END,
    CASE WHEN e.is_counted = 1 AND (u.is_utc = 1 OR e.utc_day_at = e.day_at) THEN e.units ELSE 0 END,
    CASE WHEN e.is_counted = 1 AND u.is_utc = 0 AND e.utc_day_at <> e.day_at THEN e.units ELSE 0 END,
    CASE WHEN e.is_counted = 1 AND u.is_utc = 0 AND e.is_signed = 0 THEN e.units ELSE 0 END,
    CASE WHEN e.excluded_by = 'environment' AND u.is_utc = 0 THEN e.units ELSE 0 END, 0, 0, 0, NULL, NULL
  FROM reconciliation_event e
  JOIN int_reconciliation_report r ON r.known_at = e.known_at
  CROSS JOIN (SELECT 0 AS is_utc UNION ALL SELECT 1) u
  WHERE (u.is_utc = 0 OR e.utc_day_at <> e.day_at) AND (
      r.agreement = 'events' OR r.agreement = 'analytics_events'
      AND e.kind IN (SELECT k.kind FROM int_analytics_kind k)
    )
)
SELECT
  s.as_of, s.known_at, s.agreement, s.measure, s.product_id, s.country, s.currency, s.price_milliunits, s.day_at,
  s.apple_units, s.ledger_units, s.utc_units, s.zone_units, s.unsigned_units, s.environment_units, s.other_units,
  s.later_units, 0 AS utc_later_units, s.early_units, s.apple_amount_milliunits, s.ledger_amount_milliunits,
  d.is_in_period, CASE WHEN r.day_at IS NULL THEN 1 ELSE 0 END AS is_report_missing
FROM (
  SELECT
    as_of, known_at, agreement, measure, product_id, country, currency, price_milliunits, day_at,
    SUM(apple_units) AS apple_units, SUM(ledger_units) AS ledger_units, SUM(utc_units) AS utc_units,
    SUM(zone_units) AS zone_units, SUM(unsigned_units) AS unsigned_units, SUM(environment_units) AS environment_units,
    SUM(other_units) AS other_units, SUM(later_units) AS later_units, SUM(early_units) AS early_units,
    SUM(apple_amount_milliunits) AS apple_amount_milliunits, SUM(ledger_amount_milliunits) AS ledger_amount_milliunits
  FROM stated
  -- Rows differ most by day, so they are sorted by day first.
  GROUP BY day_at, price_milliunits, country, product_id, agreement, measure, currency, as_of, known_at
  HAVING SUM(apple_units) <> 0 OR SUM(ledger_units) <> 0 OR SUM(utc_units) <> 0
    OR SUM(environment_units) <> 0 OR SUM(other_units) <> 0
) s
CROSS JOIN int_reconciliation_day d
CROSS JOIN int_reconciliation_report x
LEFT JOIN int_reconciliation_report_day r
  ON r.known_at = s.known_at AND r.day_at = s.day_at AND r.agreement = s.agreement
WHERE d.day_at = s.day_at AND x.known_at = s.known_at AND x.agreement = s.agreement;
