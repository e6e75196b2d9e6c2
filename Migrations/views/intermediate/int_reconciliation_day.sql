-- The Pacific days of a reconciliation, with the 10 days before and the day after. A day is begins_at until ends_at.
-- @integer is_in_period
-- @key day_at
CREATE VIEW int_reconciliation_day AS
SELECT
  first_day_at, last_day_at, day_at, begins_at, ends_at,
  CASE WHEN day_at >= first_day_at AND day_at <= last_day_at THEN 1 ELSE 0 END AS is_in_period
FROM (
  SELECT
    d.first_day_at, d.last_day_at, d.day_at, d.day_at - c.utc_offset AS begins_at,
    LEAD(d.day_at - c.utc_offset) OVER (PARTITION BY d.first_day_at, d.last_day_at ORDER BY d.day_at) AS ends_at
  FROM (
    SELECT p.first_day_at, p.last_day_at, m.starts_at + (t.number * 10 + u.number) * 86400000 AS day_at
    FROM (SELECT DISTINCT first_day_at, last_day_at FROM param_reconciliation) p
    JOIN calendar_month m ON m.ends_at > p.first_day_at - 864000000 AND m.starts_at <= p.last_day_at + 172800000
    CROSS JOIN (SELECT CAST(0 AS BIGINT) AS number UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) t
    CROSS JOIN (
      SELECT CAST(0 AS BIGINT) AS number UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
      UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9
    ) u
    WHERE m.starts_at + (t.number * 10 + u.number) * 86400000 < m.ends_at
      AND m.starts_at + (t.number * 10 + u.number) * 86400000 >= p.first_day_at - 864000000
      AND m.starts_at + (t.number * 10 + u.number) * 86400000 <= p.last_day_at + 172800000
  ) d
  -- Clocks change at 2:00. Eight hours after the start of the date in UTC it is 0:00 or 1:00.
  JOIN pacific_clock c ON c.begins_at <= d.day_at + 28800000 AND c.ends_at > d.day_at + 28800000
) dated
WHERE day_at <= last_day_at + 86400000;
