-- The metric deltas for retention. Payment number `step` (0 is the first) counts on the day of the first payment. A
-- journey is a series of payments for one product and one billing plan. Paid introductory offers come before the journey.
-- own_months is 1 for a plan that is paid each month, for a product of any length.
--
-- A payment may be late, or come after the customer returned. It continues the joined journey, and begins another
-- unbroken journey. A payment in a grace period is in time for both.
--
--   retained, due                    where both journeys count it as the same payment: nearly always
--   retained_joined, due_joined      in the joined journey
--   retained_unbroken, due_unbroken  in the unbroken journey
--
-- due states since when payment number `step` was possible. The figure is not complete yet when fewer payments were due
-- than customers made the payment before.
CREATE VIEW metric_delta_of_payment AS
SELECT
  p.as_of, p.known_at, p.original_transaction_key, m.measure, p.environment, p.bundle_id, p.product_id, p.country,
  p.offer_type,
  p.offer_identifier,
  CASE WHEN p.is_monthly_plan = 1 THEN 1 END AS own_months,
  CASE WHEN m.journey = 'unbroken' THEN p.unbroken_number ELSE p.number END - CASE m.is_due WHEN 1 THEN 0 ELSE 1 END
    AS step,
  CASE WHEN m.journey = 'unbroken' THEN p.unbroken_first_at ELSE p.first_at END
    - CASE WHEN m.journey = 'unbroken' THEN p.unbroken_first_at ELSE p.first_at END % 86400000 AS day_at,
  CASE
    WHEN m.sign = -1 THEN p.refunded_at
    WHEN m.is_due = 0 THEN p.start_at
    WHEN p.refunded_at < p.end_at THEN p.refunded_at
    ELSE p.end_at
  END AS effective_at,
  m.sign AS amount
FROM (
  SELECT
    j.*,
    1 + payment - MAX(CASE WHEN is_new = 1 THEN payment END) OVER payments AS number,
    MAX(CASE WHEN is_new = 1 THEN start_at END) OVER payments AS first_at,
    1 + payment - MAX(CASE WHEN is_new = 1 OR previous_end_at < start_at THEN payment END) OVER payments
      AS unbroken_number,
    MAX(CASE WHEN is_new = 1 OR previous_end_at < start_at THEN start_at END) OVER payments AS unbroken_first_at
  FROM (
    SELECT
      as_of, known_at, original_transaction_key, environment, bundle_id, product_identifier AS product_id, country,
      offer_type,
      offer AS offer_identifier, start_at, end_at, period_refunded_at AS refunded_at,
      previous_effective_end_at AS previous_end_at,
      ROW_NUMBER() OVER payments AS payment,
      is_monthly_plan,
      CASE
        WHEN LAG(product_identifier) OVER payments = product_identifier
          AND LAG(is_monthly_plan) OVER payments = is_monthly_plan THEN 0
        ELSE 1
      END AS is_new
    FROM (
      SELECT f.*, CASE WHEN f.billing_plan_type = 'MONTHLY' THEN 1 ELSE 0 END AS is_monthly_plan
      FROM transaction_fact f
    ) fact
    WHERE is_payment = 1 AND is_in_intro_offer_period = 0 AND is_auto_renewable = 1 AND is_addition = 0
    WINDOW payments AS (PARTITION BY as_of, known_at, original_transaction_key ORDER BY renewal_number)
  ) j
  WINDOW payments AS (PARTITION BY as_of, known_at, original_transaction_key ORDER BY payment)
) p
CROSS JOIN (
  SELECT 'retained' AS measure, 'both' AS journey, 1 AS sign, 0 AS is_due
  UNION ALL SELECT 'retained', 'both', -1, 0 UNION ALL SELECT 'due', 'both', 1, 1
  UNION ALL SELECT 'retained_joined', 'joined', 1, 0 UNION ALL SELECT 'retained_joined', 'joined', -1, 0
  UNION ALL SELECT 'due_joined', 'joined', 1, 1
  UNION ALL SELECT 'retained_unbroken', 'unbroken', 1, 0 UNION ALL SELECT 'retained_unbroken', 'unbroken', -1, 0
  UNION ALL SELECT 'due_unbroken', 'unbroken', 1, 1
) m
WHERE (m.sign = 1 OR p.refunded_at IS NOT NULL)
  AND CASE WHEN m.journey = 'both' THEN 1 ELSE 0 END = CASE WHEN p.number = p.unbroken_number THEN 1 ELSE 0 END;
