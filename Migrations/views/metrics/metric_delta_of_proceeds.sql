-- The metric deltas of proceeds. proceeds_estimated follows from revenue_gross and revenue_refunded with the rates of the
-- payment's day (proceeds_rate): amount / (1 + tax) * (1 - commission), rounded half up. A refund returns the tax and the
-- commission too. proceeds is what Apple's daily reports state (Summary Sales), by Pacific days. The two never mix.
CREATE VIEW metric_delta_of_proceeds AS
SELECT
  d.as_of, d.known_at, CAST(NULL AS BIGINT) AS original_transaction_key, 'proceeds_estimated' AS measure, d.environment,
  d.bundle_id, d.product_id, d.country, d.currency, d.offer_type, d.offer_identifier, d.reason, d.day_at,
  d.day_at AS effective_at,
  d.amount / (100000 + d.tax_rate) * (100000 - d.commission_rate)
    + (d.amount % (100000 + d.tax_rate) * (100000 - d.commission_rate) + (100000 + d.tax_rate) / 2)
      / (100000 + d.tax_rate) AS amount
FROM (
  SELECT
    g.as_of, g.known_at, g.environment, g.bundle_id, g.product_id, g.country, g.currency, g.offer_type,
    g.offer_identifier, g.reason, g.day_at, g.amount, COALESCE(r.tax_rate, 0) AS tax_rate,
    CASE WHEN g.detail = 'after_paid_year' OR r.is_in_program = 1 THEN r.reduced_commission_rate ELSE r.commission_rate END
      AS commission_rate
  FROM (
    SELECT
      s.as_of, s.known_at, s.environment, s.bundle_id, s.product_id, s.country, s.currency, s.offer_type,
      s.offer_identifier, s.reason, s.detail, s.day_at,
      SUM(CASE WHEN s.measure = 'revenue_gross' THEN s.amount ELSE -s.amount END) AS amount
    FROM param_report q
    CROSS JOIN metric_delta s
    WHERE (q.metric IS NULL OR q.metric = 'proceeds_estimated')
      AND s.measure IN ('revenue_gross', 'revenue_refunded') AND s.effective_at <= s.as_of
    GROUP BY
      s.as_of, s.known_at, s.environment, s.bundle_id, s.product_id, s.country, s.currency, s.offer_type,
      s.offer_identifier, s.reason, s.detail, s.day_at
  ) g
  LEFT JOIN (SELECT DISTINCT known_at, bundle_id FROM proceeds_term WHERE bundle_id IS NOT NULL) a
    ON a.known_at = g.known_at AND a.bundle_id = g.bundle_id
  -- A cross join, so that the rates are looked up for each sum.
  CROSS JOIN int_proceeds_rate r
  WHERE r.known_at = g.known_at AND r.bundle_id = COALESCE(a.bundle_id, '') AND r.country = COALESCE(g.country, '')
    AND r.begins_at <= g.day_at AND (r.ends_at IS NULL OR r.ends_at > g.day_at)
) d
WHERE d.commission_rate IS NOT NULL
UNION ALL
SELECT
  q.as_of, f.known_at, NULL, 'proceeds', 'Production', NULL, COALESCE(f.product_id, p.product_id), c.alpha_3,
  f.proceeds_currency, NULL, NULL,
  CASE f.renewal WHEN 'New' THEN 'new' WHEN 'Renewal' THEN 'renewal' ELSE 'one_time' END, f.day_at, f.day_at,
  f.proceeds_amount_milliunits
FROM param_report m
CROSS JOIN param_query q
JOIN apple_report_figure f ON f.known_at = q.known_at
LEFT JOIN apple_product p ON p.product_apple_id = f.product_apple_id
LEFT JOIN country_code c ON c.alpha_2 = f.country
WHERE (m.metric IS NULL OR m.metric = 'proceeds') AND f.report = 'sales' AND f.first_day_at = f.last_day_at
  AND f.proceeds_amount_milliunits <> 0;
