-- The reports of App Store Connect that count: of the texts of one report, the one that was recorded last by known_at.
-- A report without a vendor number can be any vendor's. It counts only while no vendor has one of the same type and days.
-- text_count is how many different texts were recorded by then.
-- @integer text_count
-- @key report_id, known_at
CREATE VIEW stg_apple_report AS
SELECT
  known_at, report_id, type, version, vendor_number, first_day_at, last_day_at, recorded_at, text_count
FROM (
  SELECT
    q.known_at, r.report_id, r.type, r.version, r.vendor_number, r.first_day_at, r.last_day_at, r.recorded_at,
    ROW_NUMBER() OVER (
      PARTITION BY q.known_at, r.type, COALESCE(r.vendor_number, ''), r.first_day_at, r.last_day_at
      ORDER BY r.recorded_at DESC, r.report_id DESC, q.as_of
    ) AS row_rank,
    COUNT(*) OVER (
      PARTITION BY q.as_of, q.known_at, r.type, COALESCE(r.vendor_number, ''), r.first_day_at, r.last_day_at
    ) AS text_count,
    MAX(r.vendor_number) OVER (PARTITION BY q.known_at, r.type, r.first_day_at, r.last_day_at) AS known_vendor_number
  FROM param_query q
  CROSS JOIN apple_report r
  WHERE r.recorded_at <= q.known_at
) recorded
WHERE row_rank = 1 AND (vendor_number IS NOT NULL OR known_vendor_number IS NULL);
