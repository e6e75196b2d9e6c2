-- The transactions that the app's reports name, each with its first mention. is_restored: StoreKit made its id up for a
-- copy of a period that the account already has (restoreCompletedTransactions).
CREATE VIEW client_transaction_first AS
SELECT
  as_of, known_at, queue, product_id, transaction_id, MIN(happened_at) AS began_at,
  MIN(attempt_number) AS attempt_number,
  MAX(CASE WHEN transaction_state = 'restored' THEN 1 ELSE 0 END) AS is_restored
FROM client_event_step
WHERE transaction_id IS NOT NULL
GROUP BY as_of, known_at, queue, product_id, transaction_id;
