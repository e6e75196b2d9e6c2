-- Which entitlements a product grants, as was known at known_at (the first word holds before it was said, as for the
-- view product).
CREATE VIEW product_entitlement AS
SELECT as_of, known_at, product_id, entitlement
FROM (
  SELECT
    q.as_of, q.known_at, e.product_id, e.entitlement, e.is_granted,
    ROW_NUMBER() OVER (
      PARTITION BY q.as_of, q.known_at, e.product_id, e.entitlement
      ORDER BY
        CASE WHEN e.recorded_at <= q.known_at THEN 0 ELSE 1 END,
        CASE WHEN e.recorded_at <= q.known_at THEN -e.recorded_at ELSE e.recorded_at END,
        CASE WHEN e.recorded_at <= q.known_at THEN -e.entry_id ELSE e.entry_id END
    ) AS place
  FROM question q CROSS JOIN product_entitlement_entry e
) ranked
WHERE place = 1 AND is_granted = 1;
