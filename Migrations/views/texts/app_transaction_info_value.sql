-- The values of each app transaction info that its text repeats (see transaction_info_value).
CREATE VIEW app_transaction_info_value AS
SELECT app_transaction_info_id, 'x' AS letter, app_transaction_id AS value FROM app_transaction_info
UNION ALL
SELECT app_transaction_info_id, 'q', CAST(original_purchase_at AS TEXT) FROM app_transaction_info;
