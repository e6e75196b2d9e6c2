-- The metrics of a report, period by period (metric_measure says what each is made of): amount, and for a share also
-- what it is a share of. Money is in milliunits of currency, a row a currency; a balance is that at the period's end
-- (of one that is not over, at as_of); step is the number of a payment (0 is the first) or a number of days. What did
-- not happen in a period has no row there.
--
-- What running subscriptions pay a month: a price by the day times 30, 3 days 10, a week 4, 2 weeks 2, 28 days 1, a
-- number of months divided by it; other lengths times 28 by their days. The length is the billing plan's, or what an
-- offer paid up front covers, else the catalogue's, else that of the period itself.
CREATE VIEW metric_figure AS
WITH posted AS (SELECT * FROM metric_delta_by_period),
period AS (SELECT * FROM param_report_period),
standing AS (
  SELECT p.*
  FROM posted p
  WHERE p.measure IN (SELECT m.measure FROM metric_measure m WHERE m.kind <> 'flow')
),
running AS (
  SELECT
    as_of, known_at, measure, group_name, currency, month_numerator, month_denominator, period_number,
    SUM(amount) OVER (
      PARTITION BY as_of, known_at, measure, group_name, currency, month_numerator, month_denominator
        ORDER BY period_number
    ) AS amount
  FROM (
    SELECT as_of, known_at, measure, group_name, currency, month_numerator, month_denominator, period_number,
      SUM(amount) AS amount
    FROM (
      SELECT
        c.as_of, c.known_at, c.measure, c.group_name, c.currency, c.month_numerator, c.month_denominator,
        n.period_number,
        CAST(0 AS BIGINT) AS amount
      FROM (SELECT DISTINCT as_of, known_at, measure, group_name, currency, month_numerator,
        month_denominator FROM standing) c
      CROSS JOIN (SELECT period_number FROM period UNION ALL SELECT 0) n
      UNION ALL
      SELECT as_of, known_at, measure, group_name, currency, month_numerator, month_denominator, period_number,
        amount FROM standing
    ) every_period
    GROUP BY as_of, known_at, measure, group_name, currency, month_numerator, month_denominator, period_number
  ) summed
),
monthly AS (
  SELECT
    b.as_of, b.known_at, b.measure, b.group_name, b.currency, b.period_number,
    CASE WHEN b.month_denominator = 1 THEN b.amount * b.month_numerator ELSE (2 * b.amount * b.month_numerator +
      b.month_denominator) / (2 * b.month_denominator) END AS amount
  FROM running b
),
balance AS (
  SELECT
    b.as_of, b.known_at, b.measure, b.group_name, COALESCE(x.into_currency, b.currency) AS currency, b.period_number,
    CASE
      WHEN x.rate_numerator IS NULL THEN b.amount
      ELSE b.amount / x.rate_denominator * x.rate_numerator
        + (b.amount % x.rate_denominator * x.rate_numerator + x.rate_denominator / 2) / x.rate_denominator
    END AS amount
  FROM monthly b
  CROSS JOIN param_report q
  LEFT JOIN period n ON n.period_number = b.period_number
  LEFT JOIN exchange_rate x
    ON x.known_at = b.known_at AND x.currency = b.currency AND x.into_currency = q.currency
    AND x.begins_at < n.ends_at AND x.ends_at >= n.ends_at
),
part AS (
  SELECT
    m.metric, m.part, p.as_of, p.known_at, p.period_number, p.group_name, p.currency,
    CASE WHEN m.metric IN ('recovery_days', 'retention', 'retention_unbroken') THEN p.step END AS step,
    m.factor * p.amount AS amount
  FROM posted p
  JOIN metric_measure m ON m.measure = p.measure
  WHERE m.kind = 'flow' AND p.period_number > 0
  UNION ALL
  SELECT
    m.metric, m.part, b.as_of, b.known_at, CASE m.kind WHEN 'opening' THEN b.period_number + 1 ELSE b.period_number END,
    b.group_name, b.currency, NULL, m.factor * b.amount
  FROM balance b
  JOIN metric_measure m ON m.measure = b.measure
  WHERE m.kind = 'opening' OR m.kind = 'balance' AND b.period_number > 0
)
SELECT
  f.metric, f.period_number, n.begins_at, n.ends_at, CASE WHEN n.ends_at <= f.as_of THEN 1 ELSE 0 END AS is_complete,
  f.group_name, f.currency, f.step, SUM(CASE WHEN f.part = 'amount' THEN f.amount ELSE 0 END) AS amount,
  SUM(CASE WHEN f.part = 'of' THEN f.amount END) AS of_amount, f.as_of, f.known_at
FROM part f
JOIN period n ON n.period_number = f.period_number
CROSS JOIN param_report r
WHERE (r.metric IS NULL OR f.metric = r.metric) AND n.begins_at <= f.as_of
GROUP BY
  f.metric, f.period_number, n.begins_at, n.ends_at, f.group_name, f.currency, f.step, f.as_of, f.known_at;
