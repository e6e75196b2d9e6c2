-- The metric deltas of all original transactions. In the ledger's file, they are the stored ones: what the last report
-- derived. The sums of the days before as_of have no original_transaction_key, and no instant within their day. Where
-- the program answers for other instants, it puts derived deltas in their place.
-- @elsewhere metric_delta_derived
CREATE VIEW metric_delta AS
SELECT
  k.as_of, k.known_at, k.original_transaction_key, s.measure, s.environment, s.bundle_id, s.product_id, s.country,
  s.currency, s.offer_type, s.offer_identifier, s.reason, s.detail, s.step, s.own_months, s.own_days, s.stated_days,
  k.day_at, k.effective_at, k.amount
FROM (
  SELECT
    q.as_of, q.known_at, CAST(NULL AS BIGINT) AS original_transaction_key, g.dimensions_id, p.day_at,
    p.effective_day * 86400000 AS effective_at, p.amount
  FROM param_query q
  CROSS JOIN projection_metric_dimensions g
  CROSS JOIN projection_metric_delta_sum p
  WHERE p.dimensions_id = g.dimensions_id AND p.effective_day < q.as_of / 86400000
    AND g.measure IN (
      SELECT m.measure FROM metric_measure m JOIN param_report r ON r.metric = m.metric OR r.metric IS NULL
    )
  UNION ALL
  SELECT q.as_of, q.known_at, p.original_transaction_key, p.dimensions_id, p.day_at, p.effective_at, p.amount
  FROM param_query q
  CROSS JOIN projection_metric_delta p
  WHERE p.effective_at / 86400000 = q.as_of / 86400000
) k
JOIN projection_metric_dimensions s ON s.dimensions_id = k.dimensions_id;
