-- What the app reported of each attempt, gathered: every event counts, in whatever order it arrived. state is the
-- device's own word: in_flight, waiting_for_approval, paid_unfinished, finished, failed, cancelled.
--
-- kind: purchase; restore (a copy under a new id); delivery (paid without a reported beginning: a renewal, mostly).
-- SKErrorDomain 2 is the customer's own cancel.
CREATE VIEW client_attempt AS
SELECT
  gathered.*,
  CASE
    WHEN paid_at IS NOT NULL AND removed_at IS NOT NULL THEN 'finished'
    WHEN paid_at IS NOT NULL THEN 'paid_unfinished'
    WHEN failed_at IS NOT NULL AND is_cancelled = 1 THEN 'cancelled'
    WHEN failed_at IS NOT NULL THEN 'failed'
    WHEN deferred_at IS NOT NULL THEN 'waiting_for_approval'
    WHEN removed_at IS NOT NULL THEN 'finished'
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
    as_of, known_at, queue, product_id, attempt_number_of_event AS attempt_number, standing_id,
    MAX(customer) AS customer, MAX(app_account_token) AS app_account_token, MAX(device) AS device,
    MAX(transaction_id) AS transaction_id, MAX(original_transaction_id) AS original_transaction_id,
    MIN(happened_at) AS began_at,
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
    MAX(is_restored) AS is_restored, MAX(is_from_future) AS is_from_future, MIN(recorded_at) AS recorded_at
  FROM (
    SELECT
      s.*, COALESCE(t.is_restored, 0) AS is_restored,
      COALESCE(t.completed_attempt, s.attempt_number) AS attempt_number_of_event,
      CASE WHEN COALESCE(t.completed_attempt, 1) = 0 THEN s.transaction_id END AS standing_id
    FROM (
      SELECT
        as_of, known_at, queue, product_id, event, transaction_state, transaction_id, original_transaction_id, customer,
        app_account_token, device, happened_at, recorded_at, is_from_future, error_domain, error_code, error_message,
        attempt_number
      FROM client_event_step
    ) s
    LEFT JOIN client_transaction t
      ON t.as_of = s.as_of AND t.known_at = s.known_at AND t.queue = s.queue AND t.product_id = s.product_id
      AND t.transaction_id = s.transaction_id
  ) told
  GROUP BY as_of, known_at, queue, product_id, attempt_number_of_event, standing_id
) gathered;
