-- All postings of a line, by the general text: of which measure, with which dimensions, on which day, since which
-- instant they stand (a refund is posted to the day of its purchase, since the refund), and how much.
CREATE VIEW metric_delta_derived AS
SELECT
  as_of, known_at, original_transaction_key, measure, environment, bundle_id, product_id, country, currency, offer_type,
  offer_identifier, reason, CAST(NULL AS VARCHAR(64)) AS detail, step, own_months, own_days, stated_days, day_at,
  effective_at, amount
FROM metric_delta_of_phase
UNION ALL
SELECT
  as_of, known_at, original_transaction_key, measure, environment, bundle_id, product_id, country, currency, offer_type,
  offer_identifier, reason, NULL, NULL, NULL, NULL, NULL, day_at, effective_at, amount
FROM metric_delta_of_transaction
UNION ALL
SELECT
  as_of, known_at, original_transaction_key, measure, environment, bundle_id, product_id, country, NULL, offer_type,
  offer_identifier, NULL, NULL, step, NULL, NULL, NULL, day_at, effective_at, amount
FROM metric_delta_of_payment
UNION ALL
SELECT
  as_of, known_at, original_transaction_key, measure, environment, bundle_id, product_id, country, NULL, NULL, NULL,
  reason, detail, NULL,
  NULL, NULL, NULL, day_at, effective_at, amount
FROM metric_delta_of_notification;
