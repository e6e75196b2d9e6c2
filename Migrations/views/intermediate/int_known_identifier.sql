-- Which ids lead to an original transaction: the fields of the evidence that hold such ids, and the kind of each. The
-- view has every id from Apple by which evidence recorded by known_at names an original transaction, once for each
-- statement.
--
-- The recorder copies some of these fields into the table original_transaction_identifier, and triggers find the link
-- entries with such ids. The audit compares both with int_projected_identifier and int_customer_link_target.
CREATE VIEW int_known_identifier AS
SELECT
  a.as_of, a.known_at, a.original_transaction_key, CAST(k.kind AS VARCHAR(64)) AS kind,
  CAST(CASE k.kind
    WHEN 'original_transaction_id' THEN l.original_transaction_id
    WHEN 'transaction_id' THEN s.transaction_id
    WHEN 'app_account_token' THEN s.app_account_token
    WHEN 'app_transaction_id' THEN s.app_transaction_id
    WHEN 'web_order_line_item_id' THEN s.web_order_line_item_id
    ELSE s.previous_original_transaction_id
  END AS VARCHAR(255)) AS identifier
FROM param_scope a
CROSS JOIN original_transaction l
CROSS JOIN transaction_version v
CROSS JOIN stg_payload i
CROSS JOIN transaction_info s
CROSS JOIN (
  SELECT 'original_transaction_id' AS kind UNION ALL SELECT 'transaction_id' UNION ALL SELECT 'app_account_token'
  UNION ALL SELECT 'app_transaction_id' UNION ALL SELECT 'web_order_line_item_id'
  UNION ALL SELECT 'previous_original_transaction_id'
) k
WHERE l.original_transaction_key = a.original_transaction_key
  AND v.original_transaction_key = a.original_transaction_key AND i.payload_id = v.payload_id
  AND i.recorded_at <= a.known_at
  AND s.transaction_info_id = v.transaction_info_id
  AND CASE k.kind
    WHEN 'app_account_token' THEN s.app_account_token
    WHEN 'app_transaction_id' THEN s.app_transaction_id
    WHEN 'web_order_line_item_id' THEN s.web_order_line_item_id
    WHEN 'previous_original_transaction_id' THEN s.previous_original_transaction_id
    ELSE l.original_transaction_id
  END IS NOT NULL
UNION ALL
SELECT
  a.as_of, a.known_at, a.original_transaction_key, CAST('order_id' AS VARCHAR(64)), CAST(o.order_id AS VARCHAR(255))
FROM param_scope a
CROSS JOIN transaction_version v
CROSS JOIN order_lookup o
CROSS JOIN stg_payload i
WHERE v.original_transaction_key = a.original_transaction_key AND o.payload_id = v.payload_id
  AND i.payload_id = v.payload_id
  -- The importer states the order id, and Apple does not sign it. So it counts only when all evidence counts.
  AND COALESCE((SELECT MAX(q.minimum_trust) FROM param_query q), 0) = 0
  AND i.recorded_at <= a.known_at
UNION ALL
SELECT
  a.as_of, a.known_at, a.original_transaction_key, CAST('notification_uuid' AS VARCHAR(64)),
  CAST(n.notification_uuid AS VARCHAR(255))
FROM param_scope a
CROSS JOIN notification n
CROSS JOIN stg_payload i
WHERE n.original_transaction_key = a.original_transaction_key AND n.notification_uuid IS NOT NULL
  AND i.payload_id = n.payload_id
  AND i.recorded_at <= a.known_at
UNION ALL
SELECT
  a.as_of, a.known_at, a.original_transaction_key, CAST(k.kind AS VARCHAR(64)),
  CAST(CASE k.kind WHEN 'app_account_token' THEN s.app_account_token ELSE s.app_transaction_id END AS VARCHAR(255))
FROM param_scope a
CROSS JOIN renewal_info_version v
CROSS JOIN stg_payload i
CROSS JOIN renewal_info s
CROSS JOIN (SELECT 'app_account_token' AS kind UNION ALL SELECT 'app_transaction_id') k
WHERE v.original_transaction_key = a.original_transaction_key AND i.payload_id = v.payload_id
  AND i.recorded_at <= a.known_at
  AND s.renewal_info_id = v.renewal_info_id
  AND CASE k.kind WHEN 'app_account_token' THEN s.app_account_token ELSE s.app_transaction_id END IS NOT NULL;
