-- One row for each version that states the type of a product that does not renew automatically. The view
-- one_time_purchase needs these types (rules §9). The first condition is that of the index transaction_info_type, which is
-- only used with it.
CREATE VIEW stg_product_type AS
SELECT
  l.environment, COALESCE(s.bundle_id, p.bundle_id, '') AS bundle_id, s.product_id, s.type, i.recorded_at, v.version_id
FROM transaction_info s
JOIN transaction_version v
  ON v.original_transaction_key = s.original_transaction_key AND v.transaction_key = s.transaction_key
  AND v.transaction_info_id = s.transaction_info_id
JOIN original_transaction l ON l.original_transaction_key = v.original_transaction_key
JOIN payload p ON p.payload_id = v.payload_id
JOIN stg_payload i ON i.payload_id = v.payload_id
WHERE s.type <> 'Auto-Renewable Subscription'
  AND s.type IN ('Consumable', 'Non-Consumable', 'Non-Renewing Subscription');
