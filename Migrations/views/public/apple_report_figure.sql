-- The figures of App Store Connect's reports, one row for each figure of a report that counts. They are Apple's
-- statements, and no evidence. A column is NULL where the report has no such column, or a blank in it.
--
-- day_at is the event date, or the day of the report where rows have no date. Apple's days are Pacific days. A daily
-- report has late events of earlier days too.
CREATE VIEW apple_report_figure AS
SELECT
  r.type AS report, f.day_at, t.measure, t.event, t.product_apple_id, t.product_id, t.product_name, t.product_type,
  t.country, t.offer_type, t.offer_id, t.offer_name, t.offer_duration, f.units,
  t.customer_currency, t.customer_price_milliunits, f.customer_amount_milliunits,
  t.proceeds_currency, t.proceeds_milliunits, f.proceeds_amount_milliunits,
  f.purchase_day_at, f.original_start_day_at, f.consecutive_paid_periods, f.days_before_canceling, f.days_canceled,
  t.cancellation_reason, t.previous_product_apple_id, t.previous_product_name, t.renewal, t.order_type, t.duration,
  t.subscription_group_id, t.app_apple_id, t.preserved_pricing, t.proceeds_reason, t.client, t.device, f.row_count,
  r.vendor_number, r.version, r.first_day_at, r.last_day_at, r.known_at, r.report_id, f.figure_number
FROM stg_apple_report r
JOIN apple_figure f ON f.report_id = r.report_id
JOIN apple_figure_dimensions t ON t.dimensions_id = f.dimensions_id;
