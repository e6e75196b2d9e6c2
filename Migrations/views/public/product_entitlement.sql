-- The entitlements that each product of an app grants, at known_at. The last entry for a product and entitlement
-- decides.
CREATE VIEW product_entitlement AS
SELECT as_of, known_at, bundle_id, product_id, entitlement
FROM (
  SELECT
    q.as_of, q.known_at, e.bundle_id, e.product_id, e.entitlement, e.is_granted,
    ROW_NUMBER() OVER (
      PARTITION BY q.as_of, q.known_at, e.bundle_id, e.product_id, e.entitlement
      ORDER BY e.entered_at DESC, e.entry_id DESC
    ) AS row_rank
  FROM param_query q
  CROSS JOIN product_entitlement_entry e
  WHERE e.entered_at <= q.known_at
) ranked
WHERE row_rank = 1 AND is_granted = 1;
