-- The app's reports in groups: one row for each transaction that they name. Reports without a transaction id form one
-- row for each attempt. Every event counts, in any order of arrival.
--
-- is_restored: StoreKit created this transaction id for a copy of a period that the account already has. is_cancelled:
-- error 2 of SKErrorDomain means that the customer cancelled the payment.
-- @integer ended_at, purchasing_at, deferred_at, failed_at, removed_at, is_removed_purchasing, is_cancelled
-- @integer update_count, delivery_count, is_restored
CREATE VIEW int_client_report AS
SELECT
  as_of, known_at, queue, product_id, transaction_id, MIN(attempt_number) AS attempt_number,
  MAX(customer) AS customer, MAX(app_account_token) AS app_account_token, MAX(device) AS device,
  MAX(original_transaction_id) AS original_transaction_id,
  MIN(happened_at) AS began_at,
  MIN(CASE WHEN event = 'removed' OR transaction_state = 'failed' THEN happened_at END) AS ended_at,
  MAX(CASE WHEN event = 'updated' AND transaction_state = 'purchasing' THEN happened_at END) AS purchasing_at,
  MIN(CASE WHEN event = 'updated' AND transaction_state IN ('purchased', 'restored') THEN happened_at END) AS paid_at,
  MAX(CASE WHEN event = 'updated' AND transaction_state = 'deferred' THEN happened_at END) AS deferred_at,
  MAX(CASE WHEN event = 'updated' AND transaction_state = 'failed' THEN happened_at END) AS failed_at,
  MAX(CASE WHEN event = 'removed' THEN happened_at END) AS removed_at,
  MAX(CASE WHEN event = 'removed' AND transaction_state = 'purchasing' THEN 1 ELSE 0 END) AS is_removed_purchasing,
  MAX(CASE WHEN error_domain = 'SKErrorDomain' AND error_code = 2 THEN 1 ELSE 0 END) AS is_cancelled,
  MAX(error_domain) AS error_domain, MAX(error_code) AS error_code, MAX(error_message) AS error_message,
  SUM(CASE WHEN event = 'updated' THEN 1 ELSE 0 END) AS update_count,
  SUM(CASE WHEN event = 'updated' AND transaction_state IN ('purchased', 'restored') THEN 1 ELSE 0 END)
    AS delivery_count,
  MAX(CASE WHEN transaction_id IS NOT NULL AND transaction_state = 'restored' THEN 1 ELSE 0 END) AS is_restored,
  MAX(is_from_future) AS is_from_future, MIN(recorded_at) AS recorded_at
FROM stg_client_event
GROUP BY
  as_of, known_at, queue, product_id, transaction_id, CASE WHEN transaction_id IS NULL THEN attempt_number END;
