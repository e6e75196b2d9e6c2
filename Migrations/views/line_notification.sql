-- The notifications about a line, with the transaction that each is about (V1 does not say which).
CREATE VIEW line_notification AS
SELECT
  n.notification_type, n.subtype, n.consumption_request_reason, i.evidence_at, i.recorded_at,
  CASE
    WHEN n.version IS NOT NULL
      THEN (SELECT MIN(v.transaction_key) FROM transaction_version v WHERE v.payload_id = n.payload_id)
  END AS transaction_key,
  a.as_of, a.known_at, n.line_id, n.payload_id
FROM asked a
CROSS JOIN notification n
CROSS JOIN payload_instant i
WHERE n.line_id = a.line_id AND i.payload_id = n.payload_id AND i.recorded_at <= a.known_at
  AND i.evidence_at <= a.as_of;
