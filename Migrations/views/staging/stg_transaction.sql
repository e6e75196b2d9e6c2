-- The transactions, each by the first text that was recorded of it.
CREATE VIEW stg_transaction AS
SELECT transaction_info_id AS transaction_key, original_transaction_key, transaction_id
FROM transaction_info
WHERE transaction_info_id = transaction_key;
