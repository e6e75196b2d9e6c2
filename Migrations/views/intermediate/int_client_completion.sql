-- The attempt that each row of int_client_report belongs to (completed_attempt). The first transaction that an attempt
-- names belongs to that attempt. One more transaction completes the attempt before it, if that attempt is still open.
-- The reason: an app that was terminated between two purchases receives both transactions at once.
--
-- completed_attempt 0 means no attempt: a renewal, a restore, or a redelivery whose beginning was not reported.
-- @integer own_count, is_begun, wanted_ended_at, wanted_own_count, completed_attempt, wanted_attempt
CREATE VIEW int_client_completion AS
SELECT
  placed.*,
  CASE
    WHEN transaction_id IS NULL THEN attempt_number
    WHEN is_restored = 1 OR wanted_attempt < 1 OR is_begun = 0 OR wanted_ended_at < began_at THEN 0
    WHEN wanted_own_count > 0 AND wanted_attempt <> attempt_number THEN 0
    ELSE wanted_attempt
  END AS completed_attempt
FROM (
  SELECT
    wanted.*,
    MAX(CASE WHEN transaction_id IS NULL THEN 1 ELSE 0 END) OVER attempt AS is_begun,
    MAX(CASE WHEN transaction_id IS NULL THEN ended_at END) OVER attempt AS wanted_ended_at,
    MAX(CASE WHEN transaction_id IS NULL THEN own_count END) OVER attempt AS wanted_own_count
  FROM (
    SELECT
      r.*,
      SUM(CASE WHEN transaction_id IS NOT NULL AND is_restored = 0 THEN 1 ELSE 0 END) OVER (
        PARTITION BY as_of, known_at, queue, product_id, attempt_number
      ) AS own_count,
      CASE
        WHEN transaction_id IS NULL THEN attempt_number
        ELSE attempt_number + 1 - ROW_NUMBER() OVER (
          PARTITION BY
            as_of, known_at, queue, product_id, attempt_number,
            CASE WHEN transaction_id IS NULL THEN 2 ELSE is_restored END
          ORDER BY began_at, transaction_id
        )
      END AS wanted_attempt
    FROM int_client_report r
  ) wanted
  WINDOW attempt AS (PARTITION BY as_of, known_at, queue, product_id, wanted_attempt)
) placed;
