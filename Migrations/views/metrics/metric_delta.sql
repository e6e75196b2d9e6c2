-- The metric deltas of the requested measures up to as_of. The view adds up the projected deltas of all original
-- transactions: their sums of the days before as_of, and the single deltas of the day of as_of. For those in the query
-- scope, it replaces the projected deltas by derived ones. So it derives all deltas when the query scope holds all
-- original transactions.
CREATE VIEW metric_delta AS
SELECT
  k.as_of, k.known_at, s.measure, s.environment, s.bundle_id, s.product_id, s.country, s.currency, s.offer_type,
  s.offer_identifier, s.reason, s.detail, s.step, s.own_months, s.own_days, s.stated_days, k.day_at, k.amount
FROM (
  SELECT q.as_of, q.known_at, g.dimensions_id, p.day_at, SUM(p.amount) AS amount
  FROM param_query q
  CROSS JOIN projection_metric_dimensions g
  CROSS JOIN projection_metric_delta_sum p
  WHERE p.dimensions_id = g.dimensions_id AND p.effective_day < q.as_of / 86400000
    AND g.measure IN (
      SELECT m.measure FROM metric_measure m JOIN param_report r ON r.metric = m.metric OR r.metric IS NULL
    )
  GROUP BY q.as_of, q.known_at, g.dimensions_id, p.day_at
  UNION ALL
  SELECT q.as_of, q.known_at, p.dimensions_id, p.day_at, p.amount
  FROM param_query q
  CROSS JOIN projection_metric_delta p
  WHERE p.effective_at / 86400000 = q.as_of / 86400000 AND p.effective_at <= q.as_of
  UNION ALL
  SELECT a.as_of, a.known_at, p.dimensions_id, p.day_at, -p.amount
  FROM param_scope a
  CROSS JOIN projection_metric_delta p
  WHERE p.original_transaction_key = a.original_transaction_key AND p.effective_at <= a.as_of
) k
JOIN projection_metric_dimensions s ON s.dimensions_id = k.dimensions_id
WHERE s.measure IN (
  SELECT m.measure FROM metric_measure m JOIN param_report r ON r.metric = m.metric OR r.metric IS NULL
)
UNION ALL
SELECT
  as_of, known_at, measure, environment, bundle_id, product_id, country, currency, offer_type, offer_identifier, reason,
  detail, step, own_months, own_days, stated_days, day_at, amount
FROM metric_delta_derived
WHERE effective_at <= as_of
  AND measure IN (
    SELECT m.measure FROM metric_measure m JOIN param_report r ON r.metric = m.metric OR r.metric IS NULL
  );
