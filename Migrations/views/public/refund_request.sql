-- Refund requests and their outcomes. Apple announces a request by asking how the purchase was used
-- (CONSUMPTION_REQUEST).
--
-- A later notification about the same transaction states whether it was refunded or declined. A V1 notification names
-- no transaction, so it counts for the original transaction. The transaction itself may also state the refund. outcome
-- is NULL while the request is open.
CREATE VIEW refund_request AS
SELECT
  environment, original_transaction_id, transaction_id, requested_at, recorded_at, reason,
  CASE
    WHEN revoked_at <= as_of THEN 'refunded'
    WHEN first_answer_at IS NULL THEN NULL
    WHEN is_refunded = 1 THEN 'refunded'
    ELSE 'declined'
  END AS outcome,
  CASE WHEN revoked_at <= as_of THEN revoked_at ELSE first_answer_at END AS answered_at,
  as_of, known_at, original_transaction_key, transaction_key, payload_id
FROM (
  SELECT
    l.environment, l.original_transaction_id, n.transaction_id, r.evidence_at AS requested_at, r.recorded_at,
    r.consumption_request_reason AS reason,
    (
      SELECT MAX(t.revoked_at) FROM int_current_transaction_version t
      WHERE t.as_of = r.as_of AND t.known_at = r.known_at AND t.original_transaction_key = r.original_transaction_key
        AND t.transaction_key = r.transaction_key AND t.is_upgraded = 0
    ) AS revoked_at,
    (
      SELECT MIN(a.evidence_at) FROM int_refund_answer a
      WHERE a.as_of = r.as_of AND a.known_at = r.known_at AND a.original_transaction_key = r.original_transaction_key
        AND a.request_id = r.payload_id
    ) AS first_answer_at,
    (
      SELECT MAX(a.is_refunded) FROM int_refund_answer a
      WHERE a.as_of = r.as_of AND a.known_at = r.known_at AND a.original_transaction_key = r.original_transaction_key
        AND a.request_id = r.payload_id
    ) AS is_refunded,
    r.as_of, r.known_at, r.original_transaction_key, r.transaction_key, r.payload_id
  FROM int_refund_notification r
  JOIN original_transaction l ON l.original_transaction_key = r.original_transaction_key
  LEFT JOIN stg_transaction n ON n.transaction_key = r.transaction_key
  WHERE r.notification_type = 'CONSUMPTION_REQUEST'
) asked;
