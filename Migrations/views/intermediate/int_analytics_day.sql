-- For each day and app the analytics report that counts: a newer report replaces all rows of the days that it has. Of
-- reports that were recorded together, the last one is the newer one.
-- @key report_id, day_at, known_at
CREATE VIEW int_analytics_day AS
SELECT known_at, type, app_apple_id, day_at, report_id
FROM (
  SELECT
    d.known_at, d.type, d.app_apple_id, d.day_at, d.report_id,
    ROW_NUMBER() OVER (
      PARTITION BY d.known_at, d.type, d.app_apple_id, d.day_at ORDER BY d.recorded_at DESC, d.report_id DESC
    ) AS row_rank
  FROM (
    SELECT DISTINCT r.known_at, r.type, COALESCE(r.vendor_number, '') AS app_apple_id, f.day_at, r.report_id, r.recorded_at
    FROM stg_apple_report r
    JOIN apple_figure f ON f.report_id = r.report_id
    WHERE r.type IN ('analytics_state', 'analytics_event')
  ) d
) ranked
WHERE row_rank = 1;
