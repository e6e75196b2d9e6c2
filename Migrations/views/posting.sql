-- The postings to the measures that were asked for, as they stood at as_of: of all lines as they are kept, less what is
-- kept of the lines that are asked about, and what is derived of these. (Where all lines are asked about, all is derived.)
CREATE VIEW posting AS
SELECT
  k.as_of, k.known_at, s.measure, s.environment, s.bundle_id, s.product_id, s.country, s.currency, s.offer_type,
  s.offer_identifier, s.reason, s.detail, s.step, s.own_months, s.own_days, s.stated_days, k.day_at, k.amount
FROM (
  SELECT q.as_of, q.known_at, g.segment_id, p.day_at, SUM(p.amount) AS amount
  FROM question q
  CROSS JOIN projection_segment g
  CROSS JOIN projection_posting p
  WHERE p.segment_id = g.segment_id AND p.since_at <= q.as_of
    AND g.measure IN (
      SELECT m.measure FROM metric_measure m JOIN report_request r ON r.metric = m.metric OR r.metric IS NULL
    )
  GROUP BY q.as_of, q.known_at, g.segment_id, p.day_at
  UNION ALL
  SELECT a.as_of, a.known_at, p.segment_id, p.day_at, -p.amount
  FROM asked a
  CROSS JOIN projection_posting p
  WHERE p.line_id = a.line_id AND p.since_at <= a.as_of
) k
JOIN projection_segment s ON s.segment_id = k.segment_id
WHERE s.measure IN (
  SELECT m.measure FROM metric_measure m JOIN report_request r ON r.metric = m.metric OR r.metric IS NULL
)
UNION ALL
SELECT
  as_of, known_at, measure, environment, bundle_id, product_id, country, currency, offer_type, offer_identifier, reason,
  detail, step, own_months, own_days, stated_days, day_at, amount
FROM posting_derived
WHERE since_at <= as_of
  AND measure IN (
    SELECT m.measure FROM metric_measure m JOIN report_request r ON r.metric = m.metric OR r.metric IS NULL
  );
