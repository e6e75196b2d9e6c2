-- What Apple answered to each refund request: the notifications about its transaction from the request on. A
-- notification that names no transaction counts for the original transaction.
-- @integer request_id, is_refunded
CREATE VIEW int_refund_answer AS
SELECT
  r.as_of, r.known_at, r.original_transaction_key, r.payload_id AS request_id, a.evidence_at,
  CASE WHEN a.notification_type = 'REFUND_DECLINED' THEN 0 ELSE 1 END AS is_refunded
FROM int_refund_notification r
JOIN int_refund_notification a
  ON a.as_of = r.as_of AND a.known_at = r.known_at AND a.original_transaction_key = r.original_transaction_key
  AND a.evidence_at >= r.evidence_at
  AND a.notification_type IN ('REFUND', 'CANCEL', 'REVOKE', 'REFUND_DECLINED')
  AND (a.transaction_key = r.transaction_key OR a.transaction_key IS NULL OR r.transaction_key IS NULL)
WHERE r.notification_type = 'CONSUMPTION_REQUEST';
