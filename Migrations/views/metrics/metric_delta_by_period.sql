-- The sums of metric_delta_by_day for each period. Period 0 holds everything before the first period. If the report
-- names a currency, payments of different days stay apart by rate_at, because each is converted at the rate of its day.
-- metric_figure converts them.
CREATE VIEW metric_delta_by_period AS
SELECT
  as_of, known_at, measure, product, duration, country, offer, offer_type, reason, detail, app, currency, step,
  month_numerator, month_denominator, period_number, rate_at,
  SUM(amount) AS amount
FROM (
  SELECT
    d.as_of, d.known_at, d.measure, d.product, d.duration, d.country, d.offer, d.offer_type, d.reason, d.detail, d.app,
    d.currency, d.step, d.month_numerator, d.month_denominator,
    COALESCE(r.period_number, 0) AS period_number,
    CASE WHEN q.currency IS NOT NULL AND d.currency IS NOT NULL AND d.measure <> 'recurring' THEN d.day_at END
      AS rate_at,
    d.amount
  FROM metric_delta_by_day d
  CROSS JOIN param_report q
  CROSS JOIN (SELECT MIN(day_at) AS first_at FROM param_report_day) f
  LEFT JOIN param_report_day r ON r.day_at = d.day_at
  WHERE r.period_number IS NOT NULL OR d.day_at < f.first_at
) placed
GROUP BY
  as_of, known_at, measure, product, duration, country, offer, offer_type, reason, detail, app, currency, step,
  month_numerator, month_denominator, period_number, rate_at;
