-- The sums of metric deltas for each day, for the measures, environment and app of a report. They are grouped by its
-- dimensions. A sum of 0 is left out.
--
-- The prices of active subscriptions stay apart by what makes a monthly price of them (see metric_figure). That is
-- month_numerator / month_denominator. It depends on the length that the price is for. The plan or offer states the
-- length, else the catalogue, else the length of the period itself.
-- @integer month_denominator, month_numerator
CREATE VIEW metric_delta_by_day AS
SELECT
  as_of, known_at, measure, product, duration, country, offer, offer_type, reason, detail, app, currency, step,
  CASE
    WHEN measure <> 'recurring' OR months IS NOT NULL THEN 1
    WHEN days <= 1 THEN 30
    WHEN days = 3 THEN 10
    WHEN days = 7 THEN 4
    WHEN days = 14 THEN 2
    WHEN days = 28 THEN 1
    ELSE 28
  END AS month_numerator,
  CASE WHEN measure <> 'recurring' OR days <= 1 OR days IN (3, 7, 14, 28) THEN 1 ELSE COALESCE(months,
    days) END AS month_denominator,
  day_at,
  -- Estimated proceeds are amount / (1 + tax) * (1 - commission), rounded half up. A refund returns both.
  SUM(
    CASE
      WHEN measure = 'proceeds_estimated'
      THEN amount / (100000 + tax_rate) * (100000 - commission_rate)
        + (amount % (100000 + tax_rate) * (100000 - commission_rate) + (100000 + tax_rate) / 2) / (100000 + tax_rate)
      ELSE amount
    END
  ) AS amount
FROM (
  SELECT
    as_of, known_at, measure, product, duration, country, offer, offer_type, reason, detail, app, currency, step, months,
    days, day_at, tax_rate, commission_rate, SUM(amount) AS amount
  FROM (
    SELECT
      p.as_of, p.known_at, w.measure, p.currency, p.step, p.day_at, w.factor * p.amount AS amount,
      CASE WHEN w.is_estimate = 1 THEN COALESCE(e.tax_rate, 0) END AS tax_rate,
      CASE
        WHEN w.is_estimate = 0 THEN NULL
        WHEN p.detail = 'after_paid_year' OR e.is_in_program = 1 THEN e.reduced_commission_rate
        ELSE e.commission_rate
      END AS commission_rate,
      CASE WHEN r.by_product = 1 THEN COALESCE(p.product_id, 'unknown') END AS product,
      CASE
        -- A plan of a year that is paid each month has twelve payments where another has one. No other length has it.
        WHEN r.by_duration = 1 AND p.own_months = 1 AND p.measure <> 'recurring' THEN 'P1Y monthly'
        WHEN r.by_duration = 1 THEN COALESCE(d.period, 'unknown')
      END AS duration,
      CASE WHEN r.by_country = 1 THEN COALESCE(p.country, 'unknown') END AS country,
      CASE
        WHEN r.by_offer = 1
        THEN COALESCE(p.offer_identifier, CASE p.offer_type WHEN 1 THEN 'introductory' END, 'none')
      END AS offer,
      CASE
        WHEN r.by_offer_type = 1
        THEN CASE p.offer_type
          WHEN 1 THEN 'introductory' WHEN 2 THEN 'promotional' WHEN 3 THEN 'offer_code' WHEN 4 THEN 'win_back'
          ELSE CASE WHEN p.offer_type IS NULL THEN 'none' ELSE 'other' END
        END
      END AS offer_type,
      CASE WHEN r.by_reason = 1 THEN COALESCE(p.reason, 'none') END AS reason,
      CASE WHEN r.by_detail = 1 THEN COALESCE(p.detail, 'none') END AS detail,
      CASE WHEN r.by_app = 1 THEN COALESCE(p.bundle_id, 'unknown') END AS app,
      CASE
        WHEN COALESCE(p.own_months, p.own_days) IS NOT NULL THEN p.own_months
        WHEN d.period_months > 0 AND COALESCE(d.period_days, 0) = 0 THEN d.period_months
        WHEN COALESCE(d.period_months, 0) = 0 AND d.period_days > 0 THEN NULL
        WHEN p.stated_days BETWEEN 27 AND 33 THEN 1
        WHEN p.stated_days BETWEEN 58 AND 62 THEN 2
        WHEN p.stated_days BETWEEN 88 AND 95 THEN 3
        WHEN p.stated_days BETWEEN 179 AND 185 THEN 6
        WHEN p.stated_days BETWEEN 363 AND 375 THEN 12
      END AS months,
      CASE
        WHEN COALESCE(p.own_months, p.own_days) IS NOT NULL THEN p.own_days
        WHEN d.period_months > 0 AND COALESCE(d.period_days, 0) = 0 THEN NULL
        WHEN COALESCE(d.period_months, 0) = 0 AND d.period_days > 0 THEN d.period_days
        WHEN p.stated_days BETWEEN 6 AND 8 THEN 7
        WHEN p.stated_days BETWEEN 12 AND 16 THEN 14
        ELSE p.stated_days
      END AS days
    FROM (
      SELECT
        as_of, known_at, measure, environment, bundle_id, product_id, country, currency, offer_type, offer_identifier,
        reason, detail, step, own_months, own_days, stated_days, day_at, effective_at, amount
      FROM metric_delta
      UNION ALL
      SELECT
        as_of, known_at, measure, environment, bundle_id, product_id, country, currency, offer_type, offer_identifier,
        reason, NULL, NULL, NULL, NULL, NULL, day_at, effective_at, amount
      FROM metric_delta_of_proceeds
    ) p
    CROSS JOIN param_report r
    -- The wanted measures, each with the one that it is counted from.
    CROSS JOIN (
      SELECT DISTINCT m.measure, m.measure AS source, 1 AS factor, 0 AS is_estimate
      FROM metric_measure m JOIN param_report t ON t.metric = m.metric OR t.metric IS NULL
      WHERE m.part <> 'source'
      UNION ALL
      SELECT m.metric, m.measure, m.factor, 1
      FROM metric_measure m JOIN param_report t ON t.metric = m.metric OR t.metric IS NULL
      WHERE m.part = 'source'
    ) w
    LEFT JOIN (SELECT DISTINCT known_at, bundle_id FROM int_proceeds_rate) a
      ON w.is_estimate = 1 AND a.known_at = p.known_at AND a.bundle_id = p.bundle_id
    LEFT JOIN int_proceeds_rate e
      ON w.is_estimate = 1 AND e.known_at = p.known_at AND e.bundle_id = COALESCE(a.bundle_id, '')
      AND e.country = COALESCE(p.country, '') AND e.begins_at <= p.day_at AND (e.ends_at IS NULL OR e.ends_at > p.day_at)
    LEFT JOIN int_catalogue_app c
      ON c.as_of = p.as_of AND c.known_at = p.known_at AND c.named = COALESCE(p.bundle_id, '')
    LEFT JOIN product d
      ON d.as_of = p.as_of AND d.known_at = p.known_at AND d.bundle_id = c.bundle_id AND d.product_id = p.product_id
    WHERE p.environment = r.environment AND (r.bundle_id IS NULL OR p.bundle_id = r.bundle_id)
      AND p.effective_at <= p.as_of AND w.source = p.measure
  ) dimensioned
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18
) summed
WHERE measure <> 'proceeds_estimated' OR commission_rate IS NOT NULL
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
HAVING SUM(amount) <> 0;
