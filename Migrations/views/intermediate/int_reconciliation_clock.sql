-- The Pacific clock in the days of a reconciliation, from the first instant of the first day until the last of the last
-- day. An instant without a row is outside of these days.
CREATE VIEW int_reconciliation_clock AS
SELECT
  CASE WHEN c.begins_at < p.first_at THEN p.first_at ELSE c.begins_at END AS begins_at,
  CASE WHEN c.ends_at > p.last_at THEN p.last_at ELSE c.ends_at END AS ends_at, c.utc_offset
FROM (SELECT MIN(begins_at) AS first_at, MAX(ends_at) AS last_at FROM int_reconciliation_day) p
JOIN pacific_clock c ON c.begins_at < p.last_at AND c.ends_at > p.first_at;
