-- The days (UTC) of a report, each with the number of its period, from 1. This view selects the calendar months of the
-- last two years and the current month. For other days, define another relation with this name, as for param_query.
CREATE VIEW param_report_day AS
SELECT
  m.starts_at + (t.number * 10 + u.number) * 86400000 AS day_at,
  m.month_number - f.first_month + 1 AS period_number
FROM calendar_month m
CROSS JOIN (SELECT 0 AS number UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) t
CROSS JOIN (
  SELECT 0 AS number UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
  UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9
) u
CROSS JOIN (
  SELECT MAX(c.month_number) - 24 AS first_month, MAX(c.month_number) AS last_month
  FROM calendar_month c
  CROSS JOIN param_query q
  WHERE c.starts_at <= q.as_of
) f
WHERE m.month_number >= f.first_month AND m.month_number <= f.last_month
  AND m.starts_at + (t.number * 10 + u.number) * 86400000 < m.ends_at;
