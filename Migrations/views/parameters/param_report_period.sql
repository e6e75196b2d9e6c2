-- The periods of a report: what lies between two instants, [begins_at, ends_at), of whole days. Period 0 is all that
-- was before the first.
CREATE VIEW param_report_period AS
SELECT period_number, MIN(day_at) AS begins_at, MAX(day_at) + 86400000 AS ends_at
FROM param_report_day
GROUP BY period_number;
