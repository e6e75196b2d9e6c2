-- The periods of a report, [begins_at, ends_at). A period consists of whole days. Other views use period 0 for
-- everything before the first period.
CREATE VIEW param_report_period AS
SELECT period_number, MIN(day_at) AS begins_at, MAX(day_at) + 86400000 AS ends_at
FROM param_report_day
GROUP BY period_number;
