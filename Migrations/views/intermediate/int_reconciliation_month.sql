-- The fiscal months of financial reports in the days of a reconciliation, one row for each. Where both kinds of report are
-- imported for a month, the detailed one counts.
-- @key first_day_at, last_day_at, known_at
CREATE VIEW int_reconciliation_month AS
SELECT
  r.known_at, r.first_day_at, r.last_day_at,
  CASE WHEN MAX(CASE WHEN r.type = 'finance_detail' THEN 1 ELSE 0 END) = 1 THEN 'finance_detail' ELSE 'financial' END AS type
FROM stg_apple_report r
JOIN (SELECT DISTINCT first_day_at, last_day_at FROM param_reconciliation) p
  ON r.first_day_at >= p.first_day_at AND r.last_day_at <= p.last_day_at
WHERE r.type IN ('financial', 'finance_detail')
GROUP BY r.known_at, r.first_day_at, r.last_day_at;
