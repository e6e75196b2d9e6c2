-- The values of each payload that its text repeats (see transaction_info_value).
CREATE VIEW payload_value AS
SELECT payload_id, 'd' AS letter, CAST(stated_at AS TEXT) AS value FROM payload
UNION ALL
SELECT payload_id, 'u', notification_uuid FROM notification;
