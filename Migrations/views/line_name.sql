-- Every id of Apple's by which what was known names a line.
CREATE VIEW line_name AS
SELECT
  a.as_of, a.known_at, a.line_id, k.kind,
  CASE k.kind WHEN 'transaction_id' THEN t.transaction_id ELSE l.original_transaction_id END AS identifier
FROM asked a
CROSS JOIN line l
CROSS JOIN transaction_version v
CROSS JOIN payload_instant i
CROSS JOIN store_transaction t
CROSS JOIN (SELECT 'original_transaction_id' AS kind UNION ALL SELECT 'transaction_id') k
WHERE l.line_id = a.line_id AND v.line_id = a.line_id AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at
  AND t.transaction_key = v.transaction_key
UNION
SELECT
  a.as_of, a.known_at, a.line_id, k.kind,
  CASE k.kind
    WHEN 'app_account_token' THEN s.app_account_token
    WHEN 'app_transaction_id' THEN s.app_transaction_id
    WHEN 'web_order_line_item_id' THEN s.web_order_line_item_id
    ELSE s.previous_original_transaction_id
  END
FROM asked a
CROSS JOIN transaction_version v
CROSS JOIN payload_instant i
CROSS JOIN transaction_statement s
CROSS JOIN (
  SELECT 'app_account_token' AS kind UNION ALL SELECT 'app_transaction_id' UNION ALL SELECT 'web_order_line_item_id'
  UNION ALL SELECT 'previous_original_transaction_id'
) k
WHERE v.line_id = a.line_id AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at
  AND s.statement_id = v.statement_id
  AND CASE k.kind
    WHEN 'app_account_token' THEN s.app_account_token
    WHEN 'app_transaction_id' THEN s.app_transaction_id
    WHEN 'web_order_line_item_id' THEN s.web_order_line_item_id
    ELSE s.previous_original_transaction_id
  END IS NOT NULL
UNION
SELECT a.as_of, a.known_at, a.line_id, 'order_id', o.order_id
FROM asked a
CROSS JOIN transaction_version v
CROSS JOIN order_lookup o
CROSS JOIN payload_instant i
WHERE v.line_id = a.line_id AND o.payload_id = v.payload_id AND i.payload_id = v.payload_id
  -- Which order an answer is about stands beside what is signed in it.
  AND COALESCE((SELECT MAX(q.least_trust) FROM question q), 0) = 0
  AND i.recorded_at <= a.known_at
UNION
SELECT a.as_of, a.known_at, a.line_id, 'notification_uuid', n.notification_uuid
FROM asked a
CROSS JOIN notification n
CROSS JOIN payload_instant i
WHERE n.line_id = a.line_id AND n.notification_uuid IS NOT NULL AND i.payload_id = n.payload_id
  AND i.recorded_at <= a.known_at
UNION
SELECT
  a.as_of, a.known_at, a.line_id, k.kind,
  CASE k.kind WHEN 'app_account_token' THEN s.app_account_token ELSE s.app_transaction_id END
FROM asked a
CROSS JOIN renewal_version v
CROSS JOIN payload_instant i
CROSS JOIN renewal_statement s
CROSS JOIN (SELECT 'app_account_token' AS kind UNION ALL SELECT 'app_transaction_id') k
WHERE v.line_id = a.line_id AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at
  AND s.statement_id = v.statement_id
  AND CASE k.kind WHEN 'app_account_token' THEN s.app_account_token ELSE s.app_transaction_id END IS NOT NULL;
