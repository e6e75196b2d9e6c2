-- The app's reports in the order in which they happened on their queue. Each has the number of its purchase attempt. An
-- attempt begins with `purchasing`. It also begins with a failure, deferral or removal that no earlier report
-- announced. Reports with an event or state that StoreKit does not have are ignored.
--
-- happened_at is never later than recorded_at, because a device's clock may be wrong. A transaction id that is not
-- Apple's is NULL. StoreKit's failed transactions, for example, have no id from Apple.
-- @integer step_rank, is_beginning, attempt_number
CREATE VIEW stg_client_event AS
SELECT
  step.*,
  SUM(is_beginning) OVER (
    PARTITION BY as_of, known_at, queue, product_id
    ORDER BY happened_at, step_rank, digest ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS attempt_number
FROM (
  SELECT
    reported.*,
    CASE
      WHEN event = 'updated' AND transaction_state = 'purchasing' THEN 1
      WHEN transaction_id IS NOT NULL THEN 0
      WHEN event = 'removed' THEN CASE WHEN previous_state IS NULL THEN 1 ELSE 0 END
      WHEN transaction_state = 'failed' AND COALESCE(previous_state, '') NOT IN ('purchasing', 'deferred') THEN 1
      WHEN transaction_state = 'deferred' AND COALESCE(previous_state, '') <> 'purchasing' THEN 1
      ELSE 0
    END AS is_beginning
  FROM (
    SELECT
      e.*,
      LAG(CASE WHEN event = 'removed' THEN 'removed' ELSE transaction_state END) OVER (
        PARTITION BY as_of, known_at, queue, product_id ORDER BY happened_at, step_rank, digest
      ) AS previous_state
    FROM (
      SELECT
        a.as_of, a.known_at, e.queue, e.payload_id, e.event, e.transaction_state, e.transaction_id,
        e.original_transaction_id, e.product_id, e.customer, e.app_account_token, e.device, e.error_domain,
        e.error_code, e.error_message, i.recorded_at, i.digest,
        CASE WHEN e.happened_at > i.recorded_at THEN i.recorded_at ELSE e.happened_at END AS happened_at,
        -- The clocks of two correct devices may differ by five minutes.
        CASE WHEN e.happened_at > i.recorded_at + (SELECT clock_difference FROM rule_constant) THEN 1 ELSE 0 END
          AS is_from_future,
        CASE
          WHEN e.event = 'removed' THEN 5
          WHEN e.transaction_state = 'purchasing' THEN 1
          WHEN e.transaction_state = 'deferred' THEN 2
          WHEN e.transaction_state = 'failed' THEN 4
          ELSE 3
        END AS step_rank
      FROM param_queue_scope a
      CROSS JOIN client_event e
      CROSS JOIN stg_payload i
      WHERE e.queue = a.queue AND i.payload_id = e.payload_id AND i.recorded_at <= a.known_at
        AND (e.happened_at <= a.as_of OR i.recorded_at <= a.as_of) AND (
          e.event = 'removed'
          OR (e.event = 'updated'
            AND e.transaction_state IN ('purchasing', 'purchased', 'failed', 'deferred', 'restored'))
        )
    ) e
  ) reported
) step;
