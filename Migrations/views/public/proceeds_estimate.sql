-- The proceeds of each payment, estimated with the rates of its day (proceeds_rate): price / (1 + tax) * (1 - commission).
-- A payment after a year of paid service, and one in a program, has the reduced commission. Apple's own proceeds are in
-- apple_report_figure. They come from price points, and can differ by a minor unit.
-- @integer is_after_paid_year, is_in_program, tax_rate, commission_rate
CREATE VIEW proceeds_estimate AS
SELECT
  environment, bundle_id, original_transaction_id, transaction_id, product_id, country, purchase_at, currency,
  price_milliunits, refunded_milliunits, tax_rate, commission_rate, is_after_paid_year, is_in_program,
  price_milliunits / (100000 + tax_rate) * (100000 - commission_rate)
    + (price_milliunits % (100000 + tax_rate) * (100000 - commission_rate) + (100000 + tax_rate) / 2)
      / (100000 + tax_rate) AS proceeds_milliunits,
  refunded_milliunits / (100000 + tax_rate) * (100000 - commission_rate)
    + (refunded_milliunits % (100000 + tax_rate) * (100000 - commission_rate) + (100000 + tax_rate) / 2)
      / (100000 + tax_rate) AS refunded_proceeds_milliunits,
  as_of, known_at, original_transaction_key
FROM (
  SELECT
    f.environment, f.bundle_id, f.original_transaction_id, f.store_transaction_id AS transaction_id,
    f.product_identifier AS product_id, f.country, f.start_at AS purchase_at, f.purchased_currency AS currency,
    f.purchase_price_in_purchased_currency_milliunits AS price_milliunits, f.refunded_milliunits,
    COALESCE(r.tax_rate, 0) AS tax_rate,
    CASE WHEN f.is_after_paid_year = 1 OR r.is_in_program = 1 THEN r.reduced_commission_rate ELSE r.commission_rate END
      AS commission_rate,
    f.is_after_paid_year, r.is_in_program, f.as_of, f.known_at, f.original_transaction_key
  FROM transaction_fact f
  LEFT JOIN (SELECT DISTINCT known_at, bundle_id FROM proceeds_term WHERE bundle_id IS NOT NULL) a
    ON a.known_at = f.known_at AND a.bundle_id = f.bundle_id
  -- A cross join, so that the rates are looked up for each payment.
  CROSS JOIN int_proceeds_rate r
  WHERE r.known_at = f.known_at AND r.bundle_id = COALESCE(a.bundle_id, '') AND r.country = COALESCE(f.country, '')
    AND r.begins_at <= f.start_at AND (r.ends_at IS NULL OR r.ends_at > f.start_at)
    AND f.is_payment = 1 AND f.purchase_price_in_purchased_currency_milliunits > 0
) paid;
