-- The days for which a report of an agreement is imported; of finance the first days of fiscal months.
-- @key agreement, day_at, known_at
CREATE VIEW int_reconciliation_report_day AS
SELECT DISTINCT r.known_at, t.agreement, COALESCE(a.day_at, r.first_day_at) AS day_at
FROM stg_apple_report r
JOIN (
  SELECT 'subscriber' AS type, 'payments' AS agreement UNION ALL SELECT 'subscriber', 'refunds'
  UNION ALL SELECT 'sales', 'sales' UNION ALL SELECT 'sales', 'returns'
  UNION ALL SELECT 'subscription', 'states' UNION ALL SELECT 'subscription_event', 'events'
  UNION ALL SELECT 'financial', 'finance' UNION ALL SELECT 'finance_detail', 'finance'
  UNION ALL SELECT 'analytics_state', 'analytics_states' UNION ALL SELECT 'analytics_event', 'analytics_events'
) t
  ON t.type = r.type
LEFT JOIN int_analytics_day a ON a.known_at = r.known_at AND a.report_id = r.report_id
WHERE r.first_day_at = r.last_day_at AND r.type NOT IN ('analytics_state', 'analytics_event')
  OR r.type IN ('financial', 'finance_detail') OR a.day_at IS NOT NULL;
