-- Which attempt a transaction of the app's reports completes: the first that is named in an attempt is its own; one more
-- completes the attempt before it, where that is still open. (An app that was killed between two purchases gets both at
-- once.) 0: none: a renewal, a restore, a redelivery whose beginning was not reported.
CREATE VIEW client_transaction AS
SELECT
  t.as_of, t.known_at, t.queue, t.product_id, t.transaction_id, t.is_restored,
  CASE
    WHEN t.is_restored = 1 OR c.attempt_number IS NULL OR c.ended_at < t.began_at THEN 0
    WHEN own.attempt_number IS NOT NULL AND t.wanted_attempt <> t.attempt_number THEN 0
    ELSE t.wanted_attempt
  END AS completed_attempt
FROM (
  SELECT
    f.*,
    attempt_number + 1 - ROW_NUMBER() OVER (
      PARTITION BY as_of, known_at, queue, product_id, attempt_number, is_restored ORDER BY began_at, transaction_id
    ) AS wanted_attempt
  FROM client_transaction_first f
) t
LEFT JOIN (
  SELECT
    as_of, known_at, queue, product_id, attempt_number,
    MIN(CASE WHEN event = 'removed' OR transaction_state = 'failed' THEN happened_at END) AS ended_at
  FROM client_event_step
  WHERE transaction_id IS NULL AND attempt_number > 0
  GROUP BY as_of, known_at, queue, product_id, attempt_number
) c
  ON c.as_of = t.as_of AND c.known_at = t.known_at AND c.queue = t.queue AND c.product_id = t.product_id
  AND c.attempt_number = t.wanted_attempt
LEFT JOIN (
  SELECT DISTINCT as_of, known_at, queue, product_id, attempt_number
  FROM client_transaction_first
  WHERE is_restored = 0
) own
  ON own.as_of = t.as_of AND own.known_at = t.known_at AND own.queue = t.queue AND own.product_id = t.product_id
  AND own.attempt_number = t.wanted_attempt;
