-- The metric deltas for retention. Payment number `step` (0 is the first) counts on the day of the first payment. A
-- journey is a series of payments for one product. Paid introductory offers come before the journey.
--
-- A payment may be late, or come after the customer returned:
--   retained, due                    it continues the journey
--   retained_unbroken, due_unbroken  it begins another journey
-- A payment in a grace period is in time for both.
--
-- due and due_unbroken state since when payment number `step` was possible. The figure is not complete yet when fewer
-- payments were due than customers made the payment before.
CREATE VIEW metric_delta_of_payment AS
SELECT
  p.as_of, p.known_at, p.original_transaction_key, m.measure, p.environment, p.bundle_id, p.product_id, p.country,
  p.offer_type,
  p.offer_identifier,
  CASE m.measure
    WHEN 'retained' THEN p.number - 1
    WHEN 'retained_unbroken' THEN p.unbroken_number - 1
    WHEN 'due' THEN p.number
    ELSE p.unbroken_number
  END AS step,
  CASE
    WHEN m.measure IN ('retained', 'due') THEN p.first_at - p.first_at % 86400000
    ELSE p.unbroken_first_at - p.unbroken_first_at % 86400000
  END AS day_at,
  CASE
    WHEN m.sign = -1 THEN p.refunded_at
    WHEN m.measure IN ('retained', 'retained_unbroken') THEN p.start_at
    WHEN p.refunded_at < p.end_at THEN p.refunded_at
    ELSE p.end_at
  END AS effective_at,
  m.sign AS amount
FROM (
  SELECT
    j.*,
    ROW_NUMBER() OVER (PARTITION BY as_of, known_at, original_transaction_key, journey
    ORDER BY renewal_number) AS number,
    MIN(start_at) OVER (PARTITION BY as_of, known_at, original_transaction_key, journey) AS first_at,
    ROW_NUMBER() OVER (PARTITION BY as_of, known_at, original_transaction_key, unbroken_journey ORDER BY renewal_number)
      AS unbroken_number,
    MIN(start_at) OVER (PARTITION BY as_of, known_at, original_transaction_key, unbroken_journey) AS unbroken_first_at
  FROM (
    SELECT
      c.*,
      SUM(is_new) OVER payments AS journey,
      SUM(CASE WHEN is_new = 1 OR previous_end_at < start_at THEN 1 ELSE 0 END) OVER payments AS unbroken_journey
    FROM (
      SELECT
        as_of, known_at, original_transaction_key, environment, bundle_id, product_identifier AS product_id, country,
        offer_type,
        offer AS offer_identifier, renewal_number, start_at, end_at, refunded_at,
        previous_effective_end_at AS previous_end_at,
        CASE
          WHEN LAG(product_identifier) OVER (PARTITION BY as_of, known_at, original_transaction_key
            ORDER BY renewal_number)
            = product_identifier
          THEN 0
          ELSE 1
        END AS is_new
      FROM transaction_fact
      WHERE is_payment = 1 AND is_in_intro_offer_period = 0 AND is_auto_renewable = 1
    ) c
    WINDOW payments AS (PARTITION BY as_of, known_at, original_transaction_key ORDER BY renewal_number)
  ) j
) p
CROSS JOIN (
  SELECT 'retained' AS measure, 1 AS sign UNION ALL SELECT 'retained', -1
  UNION ALL SELECT 'retained_unbroken', 1 UNION ALL SELECT 'retained_unbroken', -1
  UNION ALL SELECT 'due', 1 UNION ALL SELECT 'due_unbroken', 1
) m
WHERE m.sign = 1 OR p.refunded_at IS NOT NULL;
