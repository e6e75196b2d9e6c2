-- The metrics of a report for each period. metric_measure states what each metric consists of.
--
--   amount     a number, or milliunits of currency; each currency has a row of its own
--   of_amount  for a share, the amount that it is a share of
--   step       the number of a payment (0 is the first), or a number of days
--
-- A balance is the one at the end of the period, or at as_of if the period is not over. A period has no row for what
-- did not happen in it. A dimension by which the report is not split is NULL.
--
-- The monthly price of an active subscription follows from the length that its price is for:
--   1 day: × 30   3 days: × 10   7 days: × 4   14 days: × 2   28 days: × 1
--   months: / their number       other lengths: × 28 / days
-- The billing plan or an offer paid up front states this length, else the catalogue, else the period itself.
CREATE VIEW metric_figure AS
WITH period_delta AS (SELECT * FROM metric_delta_by_period),
period AS (SELECT * FROM param_report_period),
balance_delta AS (
  SELECT p.*
  FROM period_delta p
  WHERE p.measure IN (SELECT m.measure FROM metric_measure m WHERE m.kind <> 'flow')
),
running AS (
  SELECT
    as_of, known_at, measure, product, duration, country, offer, offer_type, reason, detail, app,
    currency, month_numerator, month_denominator, period_number,
    SUM(amount) OVER (
      PARTITION BY as_of, known_at, measure, product, duration, country, offer, offer_type, reason, detail, app,
        currency, month_numerator, month_denominator
      ORDER BY period_number
    ) AS amount
  FROM (
    SELECT
      as_of, known_at, measure, product, duration, country, offer, offer_type, reason, detail, app,
      currency, month_numerator, month_denominator, period_number, SUM(amount) AS amount
    FROM (
      SELECT
        c.as_of, c.known_at, c.measure,
        c.product, c.duration, c.country, c.offer, c.offer_type, c.reason, c.detail, c.app,
        c.currency, c.month_numerator, c.month_denominator, n.period_number, CAST(0 AS BIGINT) AS amount
      FROM (
        SELECT DISTINCT
          as_of, known_at, measure, product, duration, country, offer, offer_type, reason, detail, app,
          currency, month_numerator, month_denominator
        FROM balance_delta
      ) c
      CROSS JOIN (SELECT period_number FROM period UNION ALL SELECT 0) n
      UNION ALL
      SELECT
        as_of, known_at, measure, product, duration, country, offer, offer_type, reason, detail, app,
        currency, month_numerator, month_denominator, period_number, amount
      FROM balance_delta
    ) every_period
    GROUP BY
      as_of, known_at, measure, product, duration, country, offer, offer_type, reason, detail, app,
      currency, month_numerator, month_denominator, period_number
  ) summed
),
unconverted AS (
  SELECT
    as_of, known_at, measure, 1 AS is_flow, product, duration, country, offer, offer_type, reason, detail, app,
    currency, step, period_number, rate_at, amount
  FROM period_delta
  WHERE period_number > 0
  UNION ALL
  SELECT
    b.as_of, b.known_at, b.measure, 0,
    b.product, b.duration, b.country, b.offer, b.offer_type, b.reason, b.detail, b.app,
    b.currency, NULL, b.period_number, CASE WHEN b.measure = 'recurring' THEN n.ends_at - 1 END,
    CASE
      WHEN b.month_denominator = 1 THEN b.amount * b.month_numerator
      ELSE (2 * b.amount * b.month_numerator + b.month_denominator) / (2 * b.month_denominator)
    END
  FROM running b
  LEFT JOIN period n ON n.period_number = b.period_number
),
-- The conversion of money: a payment at the rate of its day, and a balance at the rate of the period's last instant.
-- The order of the operations keeps every product within 64 bits. The result is rounded half up.
converted AS (
  SELECT
    u.as_of, u.known_at, u.measure, u.is_flow,
    u.product, u.duration, u.country, u.offer, u.offer_type, u.reason, u.detail, u.app,
    COALESCE(x.into_currency, u.currency) AS currency, u.step, u.period_number,
    CASE
      WHEN x.rate_numerator IS NULL THEN u.amount
      ELSE u.amount / x.rate_denominator * x.rate_numerator
        + (u.amount % x.rate_denominator * x.rate_numerator + x.rate_denominator / 2) / x.rate_denominator
    END AS amount
  FROM unconverted u
  CROSS JOIN param_report q
  LEFT JOIN exchange_rate x
    ON x.known_at = u.known_at AND x.currency = u.currency AND x.into_currency = q.currency
    AND x.begins_at <= u.rate_at AND (x.ends_at IS NULL OR x.ends_at > u.rate_at)
),
part AS (
  SELECT
    m.metric, m.part, c.as_of, c.known_at,
    CASE m.kind WHEN 'opening' THEN c.period_number + 1 ELSE c.period_number END AS period_number,
    c.product, c.duration, c.country, c.offer, c.offer_type, c.reason, c.detail, c.app, c.currency,
    CASE WHEN m.metric IN ('recovery_days', 'retention', 'retention_unbroken') THEN c.step END AS step,
    m.factor * c.amount AS amount
  FROM converted c
  JOIN metric_measure m ON m.measure = c.measure
  WHERE m.part <> 'source' AND (
    m.kind = 'flow' AND c.is_flow = 1
    OR m.kind <> 'flow' AND c.is_flow = 0 AND (m.kind = 'opening' OR c.period_number > 0)
  )
)
SELECT
  f.metric, f.period_number, n.begins_at, n.ends_at, CASE WHEN n.ends_at <= f.as_of THEN 1 ELSE 0 END AS is_complete,
  f.product, f.duration, f.country, f.offer, f.offer_type, f.reason, f.detail, f.app, f.currency, f.step,
  SUM(CASE WHEN f.part = 'amount' THEN f.amount ELSE 0 END) AS amount,
  SUM(CASE WHEN f.part = 'of' THEN f.amount END) AS of_amount, f.as_of, f.known_at
FROM part f
JOIN period n ON n.period_number = f.period_number
CROSS JOIN param_report r
WHERE (r.metric IS NULL OR f.metric = r.metric) AND n.begins_at <= f.as_of
GROUP BY
  f.metric, f.period_number, n.begins_at, n.ends_at,
  f.product, f.duration, f.country, f.offer, f.offer_type, f.reason, f.detail, f.app,
  f.currency, f.step, f.as_of, f.known_at;
