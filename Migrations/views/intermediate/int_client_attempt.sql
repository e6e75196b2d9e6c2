-- One row for each purchase attempt that the app's reports describe.
--
-- state is what the device reported: in_flight, waiting_for_approval, paid_unfinished, finished, failed, cancelled or
-- abandoned. An attempt is abandoned when a later attempt for the same product has ended, but this one has not.
--
-- kind:
--   purchase  the app reported the beginning
--   restore   a copy under a new transaction id
--   delivery  a payment without a reported beginning, usually a renewal
-- @integer is_finished_while_purchasing, is_removed_without_update, last_ended_attempt
CREATE VIEW int_client_attempt AS
SELECT
  gathered.*,
  CASE
    WHEN paid_at IS NOT NULL AND removed_at IS NOT NULL THEN 'finished'
    WHEN paid_at IS NOT NULL THEN 'paid_unfinished'
    WHEN failed_at IS NOT NULL AND is_cancelled = 1 THEN 'cancelled'
    WHEN failed_at IS NOT NULL THEN 'failed'
    WHEN deferred_at IS NOT NULL THEN 'waiting_for_approval'
    WHEN removed_at IS NOT NULL THEN 'finished'
    WHEN last_ended_attempt > attempt_number THEN 'abandoned'
    ELSE 'in_flight'
  END AS state,
  CASE
    WHEN removed_at IS NULL OR failed_at IS NOT NULL OR paid_at IS NOT NULL OR deferred_at IS NOT NULL THEN 0
    WHEN purchasing_at IS NOT NULL OR is_removed_purchasing = 1 THEN 1
    ELSE 0
  END AS is_finished_while_purchasing,
  CASE WHEN update_count = 0 AND is_removed_purchasing = 0 THEN 1 ELSE 0 END AS is_removed_without_update,
  CASE WHEN is_restored = 1 THEN 'restore' WHEN attempt_number = 0 THEN 'delivery' ELSE 'purchase' END AS kind
FROM (
  SELECT
    reported.*,
    MAX(CASE WHEN COALESCE(paid_at, failed_at, removed_at) IS NOT NULL THEN attempt_number END)
      OVER (PARTITION BY as_of, known_at, queue, product_id) AS last_ended_attempt
  FROM (
    SELECT
      as_of, known_at, queue, product_id, completed_attempt AS attempt_number,
      MAX(customer) AS customer, MAX(app_account_token) AS app_account_token, MAX(device) AS device,
      MAX(transaction_id) AS transaction_id, MAX(original_transaction_id) AS original_transaction_id,
      MIN(began_at) AS began_at, MAX(purchasing_at) AS purchasing_at, MIN(paid_at) AS paid_at,
      MAX(deferred_at) AS deferred_at, MAX(failed_at) AS failed_at, MAX(removed_at) AS removed_at,
      MAX(is_removed_purchasing) AS is_removed_purchasing, MAX(is_cancelled) AS is_cancelled,
      MAX(error_domain) AS error_domain, MAX(error_code) AS error_code, MAX(error_message) AS error_message,
      SUM(update_count) AS update_count, SUM(delivery_count) AS delivery_count, MAX(is_restored) AS is_restored,
      MAX(is_from_future) AS is_from_future, MIN(recorded_at) AS recorded_at
    FROM int_client_completion
    GROUP BY
      as_of, known_at, queue, product_id, completed_attempt, CASE WHEN completed_attempt = 0 THEN transaction_id END
  ) reported
) gathered;
