-- The tax and the commission in each storefront, from begins_at until ends_at, as proceeds_term states them. bundle_id is ''
-- for apps without a row of their own, and country is '' for purchases whose storefront is not known, so that joins can
-- use an index.
-- @integer begins_at, ends_at, tax_rate, commission_rate, reduced_commission_rate, is_in_program
-- @key country, bundle_id, begins_at, known_at
CREATE VIEW int_proceeds_rate AS
WITH storefront AS (
  SELECT a.known_at, a.bundle_id, c.country
  FROM (
    SELECT DISTINCT known_at, bundle_id FROM proceeds_term WHERE bundle_id IS NOT NULL
    UNION ALL
    SELECT DISTINCT known_at, '' FROM proceeds_term
  ) a
  CROSS JOIN (SELECT alpha_3 AS country FROM country_code UNION ALL SELECT '') c
),
change AS (
  SELECT DISTINCT p.known_at, p.bundle_id, p.country, t.begins_at
  FROM storefront p
  JOIN proceeds_term t
    ON t.known_at = p.known_at AND (t.bundle_id IS NULL OR t.bundle_id = p.bundle_id)
    AND (t.country IS NULL OR t.country = p.country)
)
SELECT
  known_at, bundle_id, country, begins_at,
  LEAD(begins_at) OVER (PARTITION BY known_at, bundle_id, country ORDER BY begins_at) AS ends_at,
  tax_rate, commission_rate, COALESCE(reduced_commission_rate, commission_rate) AS reduced_commission_rate, is_in_program
FROM (
  SELECT
    known_at, bundle_id, country, begins_at,
    MAX(CASE WHEN term = 'tax' THEN rate END) AS tax_rate,
    MAX(CASE WHEN term = 'commission' THEN rate END) AS commission_rate,
    MAX(CASE WHEN term = 'reduced_commission' THEN rate END) AS reduced_commission_rate,
    MAX(CASE WHEN term = 'program' AND rate > 0 THEN 1 ELSE 0 END) AS is_in_program
  FROM (
    SELECT
      c.known_at, c.bundle_id, c.country, c.begins_at, t.term, t.rate,
      ROW_NUMBER() OVER (
        PARTITION BY c.known_at, c.bundle_id, c.country, c.begins_at, t.term
        ORDER BY CASE WHEN t.bundle_id IS NULL THEN 1 ELSE 0 END, CASE WHEN t.country IS NULL THEN 1 ELSE 0 END
      ) AS row_rank
    FROM change c
    JOIN proceeds_term t
      ON t.known_at = c.known_at AND t.begins_at <= c.begins_at AND (t.ends_at IS NULL OR t.ends_at > c.begins_at)
      AND (t.bundle_id IS NULL OR t.bundle_id = c.bundle_id) AND (t.country IS NULL OR t.country = c.country)
  ) ranked
  WHERE row_rank = 1
  GROUP BY known_at, bundle_id, country, begins_at
) stated;
