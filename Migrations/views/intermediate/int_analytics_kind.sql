-- The kinds of apple_event that mean the same in the daily report and in that of analytics.
CREATE VIEW int_analytics_kind AS
SELECT 'renewals' AS kind UNION ALL SELECT 'conversions' UNION ALL SELECT 'recoveries' UNION ALL SELECT 'billing_issues'
UNION ALL SELECT 'cancellations' UNION ALL SELECT 'refunds';
