-- Whether Apple's daily reports agree with each other, without the ledger: one row for each comparison, day and key.
--
--   payments       units sold: Summary Sales of auto-renewable subscriptions (first_units), and Subscriber (second_units)
--   refunds        the same for units returned. A refund of a part counts as one
--   subscriptions  how the number of a product's subscriptions changed since the day before: by Subscription
--                  (first_units), and by the events of the day in Subscription Event (second_units). A first purchase and
--                  one after the end add one, and the end takes one away. A change of the plan moves one from the
--                  previous product.
--
-- Payments and refunds are counted by the day of the files, because Subscriber has events of other days too. A day has rows
-- from the first to the last day of both reports. Subscription is needed for the day and for the day before. The events of a
-- day can be in the reports of the day before and the day after.
--
-- A refund ends a subscription, or it is about an earlier period. The report does not say which. So refund_units are at most
-- the refunds of the day. The end of a refund has no event. So reversal_units are at most the earlier refunds.
-- @integer first_units, second_units, refund_units, reversal_units, unexplained_units
CREATE VIEW apple_report_comparison AS
WITH figure AS (
  SELECT
    f.known_at, f.vendor_number, f.report, f.product_apple_id, f.previous_product_apple_id, f.units, e.kind,
    CASE
      WHEN f.report IN ('subscription', 'subscription_event') THEN 'subscriptions'
      WHEN f.customer_price_milliunits > 0 THEN 'payments'
      ELSE 'refunds'
    END AS comparison,
    CASE WHEN f.report IN ('subscriber', 'sales') THEN f.first_day_at ELSE f.day_at END AS day_at,
    CASE WHEN f.report IN ('subscriber', 'sales') THEN f.country END AS country,
    CASE WHEN f.report IN ('subscriber', 'sales') THEN f.customer_currency END AS currency,
    CASE WHEN f.report IN ('subscriber', 'sales') THEN f.customer_price_milliunits END AS price_milliunits,
    CASE WHEN f.units = 0 THEN f.row_count WHEN f.units < 0 THEN -f.units ELSE f.units END AS unit_count,
    CASE
      WHEN e.kind NOT IN ('activations', 'returns', 'cancellations', 'refunds')
        AND f.previous_product_apple_id <> f.product_apple_id
      THEN 1
      ELSE 0
    END AS is_plan_change
  FROM apple_report_figure f
  LEFT JOIN apple_event e ON e.event = f.event
  WHERE f.first_day_at = f.last_day_at AND (
      f.report = 'subscription' AND f.measure <> 'marketing_opt_in'
      OR f.report = 'subscription_event'
      OR f.report = 'subscriber' AND f.customer_price_milliunits <> 0
      OR f.report = 'sales' AND f.customer_price_milliunits <> 0 AND SUBSTR(f.product_type, 1, 3) = 'IAY'
    )
),
counted AS (
  SELECT
    known_at, vendor_number, comparison, day_at, product_apple_id, country, currency, price_milliunits,
    SUM(first_units) AS first_units, SUM(second_units) AS second_units, SUM(refunds) AS refunds
  FROM (
    SELECT
      f.known_at, f.vendor_number, f.comparison, f.country, f.currency, f.price_milliunits,
      CASE WHEN f.report = 'subscription' AND s.is_second = 1 THEN f.day_at + 86400000 ELSE f.day_at END AS day_at,
      CASE WHEN f.is_plan_change = 1 AND s.is_second = 1 THEN f.previous_product_apple_id ELSE f.product_apple_id END
        AS product_apple_id,
      CASE
        WHEN f.report = 'sales' THEN f.unit_count
        WHEN f.report = 'subscription' THEN CASE WHEN s.is_second = 1 THEN -f.units ELSE f.units END
        ELSE 0
      END AS first_units,
      CASE
        WHEN f.report = 'subscriber' THEN f.unit_count
        WHEN f.report <> 'subscription_event' THEN 0
        WHEN f.kind = 'cancellations' OR s.is_second = 1 THEN -f.units
        WHEN f.kind IN ('activations', 'returns') OR f.is_plan_change = 1 THEN f.units
        ELSE 0
      END AS second_units,
      CASE WHEN f.kind = 'refunds' THEN f.units ELSE 0 END AS refunds
    FROM figure f
    -- A snapshot counts for its day, and as the day before for the next one. A change of the plan counts for two products.
    CROSS JOIN (SELECT 0 AS is_second UNION ALL SELECT 1) s
    WHERE s.is_second = 0 OR f.report = 'subscription' OR f.is_plan_change = 1
  ) signed
  GROUP BY known_at, vendor_number, comparison, day_at, product_apple_id, country, currency, price_milliunits
),
report_day AS (
  SELECT DISTINCT known_at, COALESCE(vendor_number, '') AS vendor_number, type, first_day_at AS day_at
  FROM stg_apple_report
  WHERE first_day_at = last_day_at
),
-- The first and the last day of each type. Apple sends no file for a day without sales or events.
span AS (
  SELECT
    known_at, vendor_number,
    MIN(CASE WHEN type = 'sales' THEN day_at END) AS first_sales_at,
    MAX(CASE WHEN type = 'sales' THEN day_at END) AS last_sales_at,
    MIN(CASE WHEN type = 'subscriber' THEN day_at END) AS first_subscriber_at,
    MAX(CASE WHEN type = 'subscriber' THEN day_at END) AS last_subscriber_at,
    MIN(CASE WHEN type = 'subscription_event' THEN day_at END) AS first_event_at,
    MAX(CASE WHEN type = 'subscription_event' THEN day_at END) AS last_event_at
  FROM report_day
  GROUP BY known_at, vendor_number
),
complete AS (
  SELECT DISTINCT d.known_at, d.vendor_number, n.comparison, d.day_at
  FROM report_day d
  JOIN span s ON s.known_at = d.known_at AND s.vendor_number = d.vendor_number
  CROSS JOIN (SELECT 'payments' AS comparison UNION ALL SELECT 'refunds') n
  WHERE d.type IN ('sales', 'subscriber') AND d.day_at >= s.first_sales_at AND d.day_at <= s.last_sales_at
    AND d.day_at >= s.first_subscriber_at AND d.day_at <= s.last_subscriber_at
  UNION ALL
  SELECT d.known_at, d.vendor_number, 'subscriptions', d.day_at
  FROM report_day d
  JOIN report_day b
    ON b.known_at = d.known_at AND b.vendor_number = d.vendor_number AND b.type = d.type AND b.day_at = d.day_at - 86400000
  JOIN span s ON s.known_at = d.known_at AND s.vendor_number = d.vendor_number
  WHERE d.type = 'subscription' AND d.day_at > s.first_event_at AND d.day_at < s.last_event_at
)
SELECT
  comparison, vendor_number, day_at, product_apple_id, product_id, country, currency, price_milliunits, first_units,
  second_units, refund_units, reversal_units,
  first_units - second_units - refund_units - reversal_units AS unexplained_units, known_at
FROM (
  SELECT
    r.*,
    CASE
      WHEN first_units >= second_units THEN 0
      WHEN second_units - first_units < refunds THEN first_units - second_units
      ELSE -refunds
    END AS refund_units,
    CASE
      WHEN first_units <= second_units THEN 0
      WHEN first_units - second_units < earlier_refunds THEN first_units - second_units
      ELSE earlier_refunds
    END AS reversal_units
  FROM (
    SELECT
      c.*, p.product_id, COALESCE(SUM(c.refunds) OVER of_before, 0) AS earlier_refunds
    FROM counted c
    JOIN complete d
      ON d.known_at = c.known_at AND d.vendor_number = COALESCE(c.vendor_number, '') AND d.comparison = c.comparison
      AND d.day_at = c.day_at
    LEFT JOIN apple_product p ON p.product_apple_id = c.product_apple_id
    WINDOW of_before AS (
      PARTITION BY
        c.known_at, c.comparison, c.vendor_number, c.product_apple_id, c.country, c.currency, c.price_milliunits
      ORDER BY c.day_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
  ) r
) explained;
