-- All metric deltas of each original transaction, derived from the evidence. Each has its measure, dimensions, day,
-- effective_at and amount. A refund counts on the day of its purchase, from the refund on (effective_at).
-- @exported
CREATE VIEW metric_delta_derived AS
SELECT
  as_of, known_at, original_transaction_key, measure, environment, bundle_id, product_id, country, currency, offer_type,
  offer_identifier, reason, CAST(NULL AS VARCHAR(64)) AS detail, step, own_months, own_days, stated_days, day_at,
  effective_at, amount
FROM metric_delta_of_phase
UNION ALL
SELECT
  as_of, known_at, original_transaction_key, measure, environment, bundle_id, product_id, country, currency, offer_type,
  offer_identifier, reason, detail, NULL, NULL, NULL, NULL, day_at, effective_at, amount
FROM metric_delta_of_transaction
UNION ALL
SELECT
  as_of, known_at, original_transaction_key, measure, environment, bundle_id, product_id, country, NULL, offer_type,
  offer_identifier, NULL, NULL, step, own_months, NULL, NULL, day_at, effective_at, amount
FROM metric_delta_of_payment
UNION ALL
SELECT
  as_of, known_at, original_transaction_key, measure, environment, bundle_id, product_id, country, NULL, NULL, NULL,
  reason, detail, NULL,
  NULL, NULL, NULL, day_at, effective_at, amount
FROM metric_delta_of_notification;
