-- The values of each transaction info that its text repeats. A template has the letter of such a value in its place
-- (see 0001_payloads): the value is stored once, in its column.
CREATE VIEW transaction_info_value AS
SELECT transaction_info_id, 't' AS letter, transaction_id AS value FROM transaction_info
UNION ALL
SELECT w.transaction_info_id, 'o', o.original_transaction_id
FROM transaction_info w JOIN original_transaction o ON o.original_transaction_key = w.original_transaction_key
UNION ALL
SELECT transaction_info_id, 'p', CAST(purchase_at AS TEXT) FROM transaction_info
UNION ALL
SELECT transaction_info_id, 'q', CAST(original_purchase_at AS TEXT) FROM transaction_info
UNION ALL
SELECT transaction_info_id, 'e', CAST(expires_at AS TEXT) FROM transaction_info
UNION ALL
SELECT transaction_info_id, 'r', CAST(revoked_at AS TEXT) FROM transaction_info
UNION ALL
SELECT transaction_info_id, 'w', web_order_line_item_id FROM transaction_info
UNION ALL
SELECT transaction_info_id, 'a', app_account_token FROM transaction_info
UNION ALL
SELECT transaction_info_id, 'x', app_transaction_id FROM transaction_info;
