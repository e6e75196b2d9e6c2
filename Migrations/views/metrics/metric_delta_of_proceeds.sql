-- The metric deltas of proceeds: what Apple's daily reports state (Summary Sales), by Pacific days.
CREATE VIEW metric_delta_of_proceeds AS
SELECT
  q.as_of, f.known_at, 'proceeds' AS measure, 'Production' AS environment, CAST(NULL AS VARCHAR(64)) AS bundle_id,
  COALESCE(f.product_id, p.product_id) AS product_id, c.alpha_3 AS country, f.proceeds_currency AS currency,
  CAST(NULL AS BIGINT) AS offer_type, CAST(NULL AS VARCHAR(64)) AS offer_identifier,
  CASE f.renewal WHEN 'New' THEN 'new' WHEN 'Renewal' THEN 'renewal' ELSE 'one_time' END AS reason, f.day_at,
  f.day_at AS effective_at, f.proceeds_amount_milliunits AS amount
FROM param_query q
JOIN apple_report_figure f ON f.known_at = q.known_at
LEFT JOIN apple_product p ON p.product_apple_id = f.product_apple_id
LEFT JOIN country_code c ON c.alpha_2 = f.country
WHERE f.report = 'sales' AND f.first_day_at = f.last_day_at AND f.proceeds_amount_milliunits <> 0;
