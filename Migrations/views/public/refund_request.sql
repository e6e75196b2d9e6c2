-- Refund requests and their outcomes. Apple announces a request by asking how the purchase was used
-- (CONSUMPTION_REQUEST).
--
-- A later notification about the same transaction states whether it was refunded or declined. A V1 notification names
-- no transaction, so it counts for the original transaction. The transaction itself may also state the refund. outcome
-- is NULL while the request is open.
CREATE VIEW refund_request AS
SELECT
  l.environment, l.original_transaction_id, n.transaction_id, r.evidence_at AS requested_at, r.recorded_at,
  r.consumption_request_reason AS reason,
  CASE
    WHEN t.revoked_at <= r.as_of THEN 'refunded'
    WHEN MAX(a.evidence_at) IS NULL THEN NULL
    WHEN MAX(CASE WHEN a.notification_type = 'REFUND_DECLINED' THEN 0 ELSE 1 END) = 1 THEN 'refunded'
    ELSE 'declined'
  END AS outcome,
  CASE WHEN t.revoked_at <= r.as_of THEN t.revoked_at ELSE MIN(a.evidence_at) END AS answered_at,
  r.as_of, r.known_at, r.original_transaction_key, r.transaction_key, r.payload_id
FROM int_notification r
JOIN original_transaction l ON l.original_transaction_key = r.original_transaction_key
LEFT JOIN stg_transaction n ON n.transaction_key = r.transaction_key
LEFT JOIN int_notification a
  ON a.as_of = r.as_of AND a.known_at = r.known_at AND a.original_transaction_key = r.original_transaction_key
  AND a.evidence_at >= r.evidence_at
  AND a.notification_type IN ('REFUND', 'CANCEL', 'REVOKE', 'REFUND_DECLINED')
  AND (a.transaction_key = r.transaction_key OR a.transaction_key IS NULL OR r.transaction_key IS NULL)
LEFT JOIN int_current_transaction_version t
  ON t.as_of = r.as_of AND t.known_at = r.known_at AND t.original_transaction_key = r.original_transaction_key
  AND t.transaction_key = r.transaction_key
  AND t.is_upgraded = 0
WHERE r.notification_type = 'CONSUMPTION_REQUEST'
GROUP BY
  l.environment, l.original_transaction_id, n.transaction_id, r.as_of, r.known_at, r.original_transaction_key,
  r.transaction_key,
  r.evidence_at, r.recorded_at, r.consumption_request_reason, r.payload_id, t.revoked_at;
