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
WITH item AS (
  SELECT
    as_of, known_at, agreement, measure, product_id, country, currency, price_milliunits, day_at, utc_day_at,
    SUM(CASE WHEN is_counted = 1 AND is_early = 0 THEN units ELSE 0 END) AS ledger_units,
    SUM(CASE WHEN is_counted = 1 AND is_early = 0 AND is_signed = 0 THEN units ELSE 0 END) AS unsigned_units,
    SUM(CASE WHEN excluded_by = 'environment' AND is_early = 0 THEN units ELSE 0 END) AS environment_units,
    SUM(
      CASE
        WHEN is_counted = 0 AND excluded_by <> 'environment' AND is_early = 0 AND price_milliunits > 0 THEN units
        ELSE 0
      END
    ) AS other_units,
    SUM(CASE WHEN is_counted = 1 AND is_early = 0 AND is_late = 1 THEN units ELSE 0 END) AS later_units,
    SUM(CASE WHEN is_counted = 1 AND is_early = 1 THEN units ELSE 0 END) AS early_units,
    SUM(CASE WHEN is_counted = 1 AND is_early = 0 THEN amount_milliunits END) AS ledger_amount_milliunits
  FROM (
    SELECT
      i.as_of, i.known_at, i.product_id, i.country, i.currency, i.is_counted, i.excluded_by, i.is_signed, i.units,
      i.amount_milliunits, CASE WHEN u.part = 'day' THEN i.agreement ELSE 'finance' END AS agreement,
      CASE
        WHEN u.part = 'day' THEN CAST(NULL AS VARCHAR(64))
        WHEN i.agreement = 'sales' THEN 'sales'
        ELSE 'returns'
      END AS measure,
      CASE WHEN u.part = 'day' THEN i.price_milliunits END AS price_milliunits,
      CASE WHEN u.part = 'day' THEN i.day_at ELSE m.first_day_at END AS day_at,
      CASE WHEN u.part = 'day' THEN i.utc_day_at ELSE m.first_day_at END AS utc_day_at,
      CASE WHEN u.part = 'early' THEN 1 ELSE 0 END AS is_early,
      CASE WHEN i.day_at > m.last_day_at - 864000000 THEN 1 ELSE 0 END AS is_late
    FROM reconciliation_item i
    CROSS JOIN (SELECT 'day' AS part UNION ALL SELECT 'month' UNION ALL SELECT 'early') u
    LEFT JOIN int_reconciliation_month m
      ON m.known_at = i.known_at AND (
        u.part = 'month' AND i.day_at >= m.first_day_at AND i.day_at <= m.last_day_at
        OR u.part = 'early' AND i.day_at >= m.first_day_at - 864000000 AND i.day_at < m.first_day_at
      )
    WHERE u.part = 'day' AND i.agreement <> 'finance_returns'
      OR u.part <> 'day' AND i.agreement IN ('sales', 'finance_returns') AND m.first_day_at IS NOT NULL
  ) used
  GROUP BY as_of, known_at, agreement, measure, product_id, country, currency, price_milliunits, day_at, utc_day_at
  UNION ALL
  SELECT
    e.as_of, e.known_at, u.agreement, e.kind, e.product_id, e.country, NULL, NULL, e.day_at, e.utc_day_at,
    SUM(CASE WHEN e.is_counted = 1 THEN e.units ELSE 0 END),
    SUM(CASE WHEN e.is_counted = 1 AND e.is_signed = 0 THEN e.units ELSE 0 END),
    SUM(CASE WHEN e.excluded_by = 'environment' THEN e.units ELSE 0 END), 0, 0, 0, NULL
  FROM reconciliation_event e
  JOIN int_reconciliation_report u ON u.known_at = e.known_at
  WHERE u.agreement = 'events' OR u.agreement = 'analytics_events'
    AND e.kind IN (SELECT k.kind FROM int_analytics_kind k)
  GROUP BY e.as_of, e.known_at, u.agreement, e.kind, e.product_id, e.country, e.day_at, e.utc_day_at
),
stated AS (
  SELECT
    as_of, known_at, agreement, measure, product_id, country, currency, price_milliunits, day_at, apple_units,
    0 AS ledger_units, 0 AS utc_units, 0 AS zone_units, 0 AS unsigned_units, 0 AS environment_units, 0 AS other_units,
    0 AS later_units, 0 AS early_units, apple_amount_milliunits, CAST(NULL AS BIGINT) AS ledger_amount_milliunits
  FROM int_reconciliation_apple
  WHERE agreement NOT IN ('states', 'analytics_states')
  UNION ALL
  SELECT
    as_of, known_at, agreement, measure, product_id, country, currency, price_milliunits, day_at, 0, ledger_units, 0,
    CASE WHEN day_at <> utc_day_at THEN ledger_units ELSE 0 END, unsigned_units, environment_units, other_units,
    later_units, early_units, NULL, ledger_amount_milliunits
  FROM item
  UNION ALL
  SELECT
    as_of, known_at, agreement, measure, product_id, country, currency, price_milliunits, utc_day_at, 0, 0, ledger_units, 0,
    0, 0, 0, 0, 0, NULL, NULL
  FROM item
)
SELECT
  s.as_of, s.known_at, s.agreement, s.measure, s.product_id, s.country, s.currency, s.price_milliunits, s.day_at,
  SUM(s.apple_units) AS apple_units, SUM(s.ledger_units) AS ledger_units, SUM(s.utc_units) AS utc_units,
  SUM(s.zone_units) AS zone_units,
  SUM(s.unsigned_units) AS unsigned_units, SUM(s.environment_units) AS environment_units,
  SUM(s.other_units) AS other_units, SUM(s.later_units) AS later_units, 0 AS utc_later_units,
  SUM(s.early_units) AS early_units, SUM(s.apple_amount_milliunits) AS apple_amount_milliunits,
  SUM(s.ledger_amount_milliunits) AS ledger_amount_milliunits, d.is_in_period,
  MIN(CASE WHEN r.day_at IS NOT NULL THEN 0 ELSE 1 END) AS is_report_missing
FROM stated s
JOIN int_reconciliation_day d ON d.day_at = s.day_at
JOIN int_reconciliation_report x ON x.known_at = s.known_at AND x.agreement = s.agreement
LEFT JOIN int_reconciliation_report_day r
  ON r.known_at = s.known_at AND r.day_at = s.day_at AND r.agreement = s.agreement
GROUP BY
  s.as_of, s.known_at, s.agreement, s.measure, s.product_id, s.country, s.currency, s.price_milliunits, s.day_at,
  d.is_in_period
HAVING SUM(s.apple_units) <> 0 OR SUM(s.ledger_units) <> 0 OR SUM(s.utc_units) <> 0
  OR SUM(s.environment_units) <> 0 OR SUM(s.other_units) <> 0;
