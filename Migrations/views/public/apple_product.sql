-- The product ids of the products that reports name by their number in the App Store. Summary Sales has both. Where it is
-- not imported, the name in App Store Connect leads to the product of the catalogue with that name, or with that id.
-- @key product_apple_id
CREATE VIEW apple_product AS
SELECT product_apple_id, MIN(product_id) AS product_id
FROM (
  SELECT DISTINCT product_apple_id, product_id
  FROM apple_figure_dimensions
  WHERE product_apple_id IS NOT NULL AND product_id IS NOT NULL
  UNION
  SELECT DISTINCT t.product_apple_id, v.product_id
  FROM apple_figure_dimensions t
  JOIN product_version v ON v.product_id = t.product_name OR v.reference_name = t.product_name
  WHERE t.product_apple_id IS NOT NULL AND t.product_apple_id NOT IN (
    SELECT s.product_apple_id FROM apple_figure_dimensions s
    WHERE s.product_apple_id IS NOT NULL AND s.product_id IS NOT NULL
  )
) named
GROUP BY product_apple_id
HAVING COUNT(*) = 1;
