-- Apple's proceeds beside those of the terms (proceeds_rate), for each price of the daily Summary Sales and each Pacific day of
-- param_reconciliation. Prices and proceeds are those of one unit; for a refund of a part, of the row. Rows whose proceeds
-- are in another currency than the price are left out, because no term says how Apple exchanges.
--
-- is_agreed: 1 if the proceeds are those of the terms within a minor unit of the currency. Reports name no bundle id, so
-- the terms of any app count. A refund returns the proceeds of its purchase, so the terms of earlier days count for it.
--
-- tax_rate, commission_rate and terms_proceeds_milliunits are those of apps without terms of their own. implied_tax_rate is
-- the tax with which this commission gives Apple's proceeds, and implied_commission_rate the commission with this tax.
-- @integer is_return, is_reduced, is_agreed, tax_rate, commission_rate, terms_proceeds_milliunits, implied_tax_rate
-- @integer implied_commission_rate
CREATE VIEW proceeds_comparison AS
WITH stated AS (
  SELECT
    q.as_of, f.known_at, f.day_at, f.product_id, c.alpha_3 AS country, f.customer_currency AS currency,
    CASE WHEN f.customer_price_milliunits < 0 THEN -f.customer_price_milliunits ELSE f.customer_price_milliunits END
      AS price_milliunits,
    f.proceeds_milliunits, CASE WHEN f.proceeds_reason = 'Rate After One Year' THEN 1 ELSE 0 END AS is_after_paid_year,
    CASE WHEN f.customer_price_milliunits < 0 OR f.units < 0 THEN 1 ELSE 0 END AS is_return,
    SUM(CASE WHEN f.units > 0 THEN f.units WHEN f.units < 0 THEN -f.units ELSE f.row_count END) AS units
  FROM param_query q
  JOIN apple_report_figure f ON f.known_at = q.known_at
  LEFT JOIN country_code c ON c.alpha_2 = f.country
  LEFT JOIN int_reconciliation_other_product o ON o.product_apple_id = f.product_apple_id
  CROSS JOIN (SELECT DISTINCT first_day_at, last_day_at FROM param_reconciliation) p
  WHERE o.product_apple_id IS NULL AND f.report = 'sales' AND f.first_day_at = f.last_day_at
    AND f.day_at >= p.first_day_at AND f.day_at <= p.last_day_at AND f.customer_price_milliunits <> 0
    AND f.proceeds_milliunits > 0 AND f.customer_currency = f.proceeds_currency
  GROUP BY
    q.as_of, f.known_at, f.day_at, f.product_id, c.alpha_3, f.customer_currency,
    CASE WHEN f.customer_price_milliunits < 0 THEN -f.customer_price_milliunits ELSE f.customer_price_milliunits END,
    f.proceeds_milliunits, CASE WHEN f.proceeds_reason = 'Rate After One Year' THEN 1 ELSE 0 END,
    CASE WHEN f.customer_price_milliunits < 0 OR f.units < 0 THEN 1 ELSE 0 END
),
-- Every rate that a row can have. is_general: that of its day for apps without terms of their own.
rated AS (
  SELECT
    as_of, known_at, day_at, product_id, country, currency, price_milliunits, proceeds_milliunits, is_after_paid_year,
    is_return, units, is_general, is_reduced, tax_rate, commission_rate,
    price_milliunits / (100000 + tax_rate) * (100000 - commission_rate)
      + (price_milliunits % (100000 + tax_rate) * (100000 - commission_rate) + (100000 + tax_rate) / 2)
        / (100000 + tax_rate) AS terms_proceeds_milliunits
  FROM (
    SELECT
      s.as_of, s.known_at, s.day_at, s.product_id, s.country, s.currency, s.price_milliunits, s.proceeds_milliunits,
      s.is_after_paid_year, s.is_return, s.units, COALESCE(r.tax_rate, 0) AS tax_rate,
      CASE WHEN r.bundle_id = '' AND (r.ends_at IS NULL OR r.ends_at > s.day_at) THEN 1 ELSE 0 END AS is_general,
      CASE WHEN s.is_after_paid_year = 1 OR r.is_in_program = 1 THEN 1 ELSE 0 END AS is_reduced,
      CASE WHEN s.is_after_paid_year = 1 OR r.is_in_program = 1 THEN r.reduced_commission_rate ELSE r.commission_rate END
        AS commission_rate
    FROM stated s
    -- A cross join, so that the rates are looked up for each row.
    CROSS JOIN int_proceeds_rate r
    WHERE r.known_at = s.known_at AND r.country = COALESCE(s.country, '') AND r.begins_at <= s.day_at
      AND (r.ends_at IS NULL OR r.ends_at > s.day_at OR s.is_return = 1)
  ) r
)
SELECT
  day_at, product_id, country, currency, price_milliunits, proceeds_milliunits, is_return, units, is_agreed, is_reduced,
  tax_rate, commission_rate, terms_proceeds_milliunits,
  -- Larger numbers would not fit.
  CASE
    WHEN price_milliunits < 10000000000000
    THEN (price_milliunits * (100000 - commission_rate) + proceeds_milliunits / 2) / proceeds_milliunits - 100000
  END AS implied_tax_rate,
  CASE
    WHEN proceeds_milliunits < 10000000000000
    THEN 100000 - (proceeds_milliunits * (100000 + tax_rate) + price_milliunits / 2) / price_milliunits
  END AS implied_commission_rate, as_of, known_at
FROM (
  SELECT
    as_of, known_at, day_at, product_id, country, currency, price_milliunits, proceeds_milliunits, is_after_paid_year,
    is_return, units,
    MAX(
      CASE
        WHEN proceeds_milliunits - terms_proceeds_milliunits <= minor_unit
          AND terms_proceeds_milliunits - proceeds_milliunits <= minor_unit
        THEN 1
        ELSE 0
      END
    ) AS is_agreed,
    MAX(CASE WHEN is_general = 1 THEN is_reduced END) AS is_reduced,
    MAX(CASE WHEN is_general = 1 THEN tax_rate END) AS tax_rate,
    MAX(CASE WHEN is_general = 1 THEN commission_rate END) AS commission_rate,
    MAX(CASE WHEN is_general = 1 THEN terms_proceeds_milliunits END) AS terms_proceeds_milliunits
  FROM (
    SELECT
      r.*,
      -- Currencies without decimals (ISO 4217).
      CASE
        WHEN currency IN (
          'BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'
        ) THEN 1000
        ELSE 10
      END AS minor_unit
    FROM rated r
  ) r
  GROUP BY
    as_of, known_at, day_at, product_id, country, currency, price_milliunits, proceeds_milliunits, is_after_paid_year,
    is_return, units
) compared;
