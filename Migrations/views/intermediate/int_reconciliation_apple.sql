-- Apple's figures for a reconciliation, in the columns of reconciliation: from daily reports, financial reports of fiscal
-- months, and analytics. product_id or country is NULL where the report's number or code leads to none.
--
--   payments  Subscriber, rows without refund: units
--   refunds   Subscriber, rows with refund: rows, because a partial refund has no units
--   sales     Summary Sales, rows with a price: units sold
--   returns   Summary Sales: units returned
--   states    Subscription: subscriptions in a state at the end of the day
--   events    Subscription Event: events of a kind (apple_event)
--   finance   financial reports: units sold and units returned in the month. day_at is its first day
--
--   analytics_states, analytics_events
--             the reports of analytics: all paid plans are one state, and only kinds of events are compared that mean
--             the same as those of the daily report
--
-- Sales of apps themselves are left out, and products of other apps where the reconciliation is about one.
-- @integer apple_units
CREATE VIEW int_reconciliation_apple AS
SELECT
  as_of, known_at, agreement, measure, day_at, product_id, country, currency,
  CASE WHEN agreement IN ('payments', 'sales') THEN price_milliunits END AS price_milliunits,
  SUM(units) AS apple_units, SUM(amount_milliunits) AS apple_amount_milliunits
FROM (
  SELECT
    q.as_of, f.known_at, CASE WHEN m.type IS NOT NULL THEN f.first_day_at ELSE f.day_at END AS day_at,
    CASE
      WHEN f.report = 'subscription' THEN f.measure
      WHEN f.report IN ('subscription_event', 'analytics_event') THEN e.kind
      WHEN f.measure IN ('preserved_price', 'contingent_price') THEN 'full_price'
      WHEN f.report = 'analytics_state' THEN f.measure
      WHEN m.type IS NOT NULL THEN CASE WHEN f.units > 0 THEN 'sales' ELSE 'returns' END
    END AS measure,
    COALESCE(f.product_id, p.product_id) AS product_id,
    -- Financial reports have codes of two or of three letters.
    COALESCE(c.alpha_3, CASE WHEN LENGTH(f.country) = 3 THEN f.country END) AS country,
    CASE WHEN f.report IN ('subscriber', 'sales', 'financial', 'finance_detail') THEN f.customer_currency END AS currency,
    f.customer_price_milliunits AS price_milliunits,
    CASE
      WHEN f.report = 'subscription' THEN 'states'
      WHEN f.report = 'subscription_event' THEN 'events'
      WHEN f.report = 'analytics_state' THEN 'analytics_states'
      WHEN f.report = 'analytics_event' THEN 'analytics_events'
      WHEN m.type IS NOT NULL THEN 'finance'
      WHEN f.measure = 'payment' THEN 'payments'
      WHEN f.measure = 'refund' THEN 'refunds'
      WHEN f.units > 0 THEN 'sales'
      ELSE 'returns'
    END AS agreement,
    CASE WHEN f.measure = 'refund' THEN f.row_count WHEN f.units < 0 THEN -f.units ELSE f.units END AS units,
    CASE
      WHEN f.report NOT IN ('subscriber', 'sales', 'financial', 'finance_detail') THEN NULL
      WHEN f.customer_amount_milliunits < 0 THEN -f.customer_amount_milliunits
      ELSE f.customer_amount_milliunits
    END AS amount_milliunits
  FROM param_query q
  JOIN apple_report_figure f ON f.known_at = q.known_at
  LEFT JOIN int_reconciliation_month m
    ON m.known_at = f.known_at AND m.first_day_at = f.first_day_at AND m.last_day_at = f.last_day_at AND m.type = f.report
  LEFT JOIN int_analytics_day a ON a.known_at = f.known_at AND a.report_id = f.report_id AND a.day_at = f.day_at
  LEFT JOIN apple_event e ON e.event = f.event
  LEFT JOIN apple_product p ON p.product_apple_id = f.product_apple_id
  LEFT JOIN country_code c ON c.alpha_2 = f.country
  LEFT JOIN int_reconciliation_other_product o ON o.product_apple_id = f.product_apple_id
  WHERE o.product_apple_id IS NULL AND (
      f.first_day_at = f.last_day_at AND (
        f.report = 'subscription' AND f.measure <> 'marketing_opt_in'
        OR f.report = 'subscription_event'
        OR f.report IN ('subscriber', 'sales') AND (f.measure = 'refund' OR f.units <> 0)
          AND f.customer_price_milliunits <> 0
      )
      OR a.report_id IS NOT NULL AND (
        f.measure IN (
          'free_trials', 'paid_offers', 'full_price', 'preserved_price', 'contingent_price', 'grace_period', 'billing_retry'
        )
        OR e.kind IN (SELECT k.kind FROM int_analytics_kind k)
      )
      OR m.type IS NOT NULL AND f.units <> 0 AND f.customer_price_milliunits <> 0
    )
    AND (
      f.product_type IS NULL
      OR SUBSTR(f.product_type, 1, 1) NOT IN ('1', '3', '7', '8')
        AND SUBSTR(f.product_type, 1, 2) NOT IN ('F1', 'F3', 'F7')
    )
) stated
GROUP BY
  -- Rows differ most by day, so they are sorted by day first.
  day_at, country, product_id, CASE WHEN agreement IN ('payments', 'sales') THEN price_milliunits END, measure, agreement,
  currency, as_of, known_at;
