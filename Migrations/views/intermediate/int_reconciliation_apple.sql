-- Apple's figures for a reconciliation, from daily reports, in the columns of reconciliation. product_id or country is NULL
-- where the report's number or code leads to none.
--
--   payments  Subscriber, rows without refund: units
--   refunds   Subscriber, rows with refund: rows, because a partial refund has no units
--   sales     Summary Sales, rows with a price: units sold
--   returns   Summary Sales: units returned
-- @integer apple_units
CREATE VIEW int_reconciliation_apple AS
SELECT
  known_at, agreement, day_at, product_id, country, currency,
  CASE WHEN agreement IN ('payments', 'sales') THEN price_milliunits END AS price_milliunits,
  SUM(units) AS apple_units, SUM(amount_milliunits) AS apple_amount_milliunits
FROM (
  SELECT
    f.known_at, f.day_at, COALESCE(f.product_id, p.product_id) AS product_id, c.alpha_3 AS country,
    f.customer_currency AS currency, f.customer_price_milliunits AS price_milliunits,
    CASE
      WHEN f.measure = 'payment' THEN 'payments'
      WHEN f.measure = 'refund' THEN 'refunds'
      WHEN f.units > 0 THEN 'sales'
      ELSE 'returns'
    END AS agreement,
    CASE WHEN f.measure = 'refund' THEN f.row_count WHEN f.units < 0 THEN -f.units ELSE f.units END AS units,
    CASE WHEN f.customer_amount_milliunits < 0 THEN -f.customer_amount_milliunits ELSE f.customer_amount_milliunits END
      AS amount_milliunits
  FROM apple_report_figure f
  LEFT JOIN apple_product p ON p.product_apple_id = f.product_apple_id
  LEFT JOIN country_code c ON c.alpha_2 = f.country
  WHERE f.report IN ('subscriber', 'sales') AND f.first_day_at = f.last_day_at
    AND (f.measure = 'refund' OR f.units <> 0) AND f.customer_price_milliunits <> 0
) stated
GROUP BY known_at, agreement, day_at, product_id, country, currency,
  CASE WHEN agreement IN ('payments', 'sales') THEN price_milliunits END;
