-- The sums of metric_delta_by_day for each period. Period 0 holds everything before the first period. Payments are
-- converted at the rate of their day, if the report names a currency and a rate is known. metric_figure converts
-- recurring prices.
CREATE VIEW metric_delta_by_period AS
SELECT
  as_of, known_at, measure, group_name, currency, step, month_numerator, month_denominator, period_number,
  SUM(amount) AS amount
FROM (
  SELECT
    d.as_of, d.known_at, d.measure, d.group_name, COALESCE(x.into_currency, d.currency) AS currency, d.step,
    d.month_numerator,
    d.month_denominator, COALESCE(r.period_number, 0) AS period_number,
    CASE
      WHEN x.rate_numerator IS NULL THEN d.amount
      ELSE d.amount / x.rate_denominator * x.rate_numerator
        + (d.amount % x.rate_denominator * x.rate_numerator + x.rate_denominator / 2) / x.rate_denominator
    END AS amount
  FROM metric_delta_by_day d
  CROSS JOIN param_report q
  CROSS JOIN (SELECT MIN(day_at) AS first_at FROM param_report_day) f
  LEFT JOIN param_report_day r ON r.day_at = d.day_at
  LEFT JOIN exchange_rate x
    ON x.known_at = d.known_at AND x.currency = d.currency AND x.into_currency = q.currency
    AND x.begins_at <= d.day_at AND x.ends_at > d.day_at AND d.measure <> 'recurring'
  WHERE r.period_number IS NOT NULL OR d.day_at < f.first_at
) converted
GROUP BY as_of, known_at, measure, group_name, currency, step, month_numerator, month_denominator, period_number;
