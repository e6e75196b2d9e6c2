-- Requests for a refund, as Apple tells of them by asking how the purchase was used (CONSUMPTION_REQUEST), and how each
-- ended: refunded or declined by a later notification about the same transaction (V1 does not say which: about the line),
-- or refunded by what the transaction itself says; NULL while it is open.
CREATE VIEW refund_request AS
SELECT
  l.environment, l.original_transaction_id, n.transaction_id, r.requested_at, r.recorded_at, r.reason,
  CASE
    WHEN t.revoked_at <= r.as_of THEN 'refunded'
    WHEN MAX(a.answered_at) IS NULL THEN NULL
    WHEN MAX(CASE WHEN a.notification_type = 'REFUND_DECLINED' THEN 0 ELSE 1 END) = 1 THEN 'refunded'
    ELSE 'declined'
  END AS outcome,
  CASE WHEN t.revoked_at <= r.as_of THEN t.revoked_at ELSE MIN(a.answered_at) END AS answered_at,
  r.as_of, r.known_at, r.line_id, r.transaction_key, r.payload_id
FROM (
  SELECT
    a.as_of, a.known_at, n.line_id, n.payload_id, i.evidence_at AS requested_at, i.recorded_at,
    n.consumption_request_reason AS reason,
    CASE WHEN n.version IS NOT NULL THEN (
      SELECT MIN(v.transaction_key) FROM transaction_version v WHERE v.payload_id = n.payload_id
    ) END AS transaction_key
  FROM asked a
  CROSS JOIN notification n
  CROSS JOIN payload_instant i
  WHERE n.line_id = a.line_id AND n.notification_type = 'CONSUMPTION_REQUEST' AND i.payload_id = n.payload_id
    AND i.recorded_at <= a.known_at AND i.evidence_at <= a.as_of
) r
LEFT JOIN (
  SELECT
    a.as_of, a.known_at, n.line_id, n.notification_type, i.evidence_at AS answered_at,
    CASE WHEN n.version IS NOT NULL THEN (
      SELECT MIN(v.transaction_key) FROM transaction_version v WHERE v.payload_id = n.payload_id
    ) END AS transaction_key
  FROM asked a
  CROSS JOIN notification n
  CROSS JOIN payload_instant i
  WHERE n.line_id = a.line_id AND n.notification_type IN ('REFUND', 'CANCEL', 'REVOKE', 'REFUND_DECLINED')
    AND i.payload_id = n.payload_id AND i.recorded_at <= a.known_at AND i.evidence_at <= a.as_of
) a
  ON a.as_of = r.as_of AND a.known_at = r.known_at AND a.line_id = r.line_id AND a.answered_at >= r.requested_at
  AND (a.transaction_key = r.transaction_key OR a.transaction_key IS NULL OR r.transaction_key IS NULL)
LEFT JOIN transaction_at t
  ON t.as_of = r.as_of AND t.known_at = r.known_at AND t.transaction_key = r.transaction_key
  AND t.is_upgraded = 0
JOIN line l ON l.line_id = r.line_id
LEFT JOIN store_transaction n ON n.transaction_key = r.transaction_key
GROUP BY
  l.environment, l.original_transaction_id, n.transaction_id, r.as_of, r.known_at, r.line_id, r.transaction_key,
  r.requested_at, r.recorded_at, r.reason, r.payload_id, t.revoked_at;
