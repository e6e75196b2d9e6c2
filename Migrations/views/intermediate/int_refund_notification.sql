-- The notifications about refunds: requests of customers, and what Apple did.
-- @key as_of, known_at, original_transaction_key, payload_id
CREATE VIEW int_refund_notification AS
SELECT *
FROM int_notification
WHERE notification_type IN ('CONSUMPTION_REQUEST', 'REFUND', 'CANCEL', 'REVOKE', 'REFUND_DECLINED');
