-- The notifications about each original transaction, up to as_of, with the transaction of each. A V1 notification does
-- not state its transaction.
CREATE VIEW int_notification AS
SELECT
  n.notification_type, n.subtype, n.consumption_request_reason, i.evidence_at, i.recorded_at,
  CASE
    WHEN n.version IS NOT NULL
      THEN (SELECT MIN(v.transaction_key) FROM transaction_version v WHERE v.payload_id = n.payload_id)
  END AS transaction_key,
  a.as_of, a.known_at, n.original_transaction_key, n.payload_id
FROM param_scope a
CROSS JOIN notification n
CROSS JOIN stg_payload i
WHERE n.original_transaction_key = a.original_transaction_key AND i.payload_id = n.payload_id
  AND i.recorded_at <= a.known_at
  AND i.evidence_at <= a.as_of;
