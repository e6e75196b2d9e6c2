-- The products of other apps than the one that a reconciliation is about, by their numbers in the App Store. A report has all
-- apps of a vendor. Where reports state the app of a product, it is compared with the number that the app's own payloads
-- state. Summary Sales and financial reports state none: there, a product of which the ledger has purchases in other apps
-- only is of another app. What remains unknown is not here. No row where the reconciliation is about all apps.
-- @key product_apple_id
CREATE VIEW int_reconciliation_other_product AS
WITH app AS (SELECT DISTINCT bundle_id FROM param_reconciliation WHERE bundle_id IS NOT NULL),
own AS (
  SELECT DISTINCT a.app_apple_id
  -- A cross join, so that payloads are read only where an app is named.
  FROM app p
  CROSS JOIN payload a
  WHERE a.bundle_id = p.bundle_id AND a.app_apple_id IS NOT NULL
)
SELECT d.product_apple_id
FROM (SELECT COUNT(*) AS count_of_numbers FROM own) n
CROSS JOIN apple_figure_dimensions d
WHERE n.count_of_numbers > 0 AND d.product_apple_id IS NOT NULL AND d.app_apple_id IS NOT NULL
  AND d.app_apple_id NOT IN (SELECT o.app_apple_id FROM own o)
UNION
SELECT product_apple_id
FROM (
  SELECT m.product_apple_id, MAX(CASE WHEN t.bundle_id = p.bundle_id THEN 1 ELSE 0 END) AS is_own
  FROM app p
  CROSS JOIN apple_product m
  CROSS JOIN transaction_info t
  WHERE t.product_id = m.product_id AND t.bundle_id IS NOT NULL
  GROUP BY m.product_apple_id
) bought
WHERE is_own = 0;
