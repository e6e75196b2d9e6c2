-- The tax and the commission in each storefront, from begins_at until ends_at, as proceeds_term states them. A row for an app
-- counts before one for all apps. After that, a row for a storefront counts before one for all. bundle_id is NULL for apps
-- without a row of their own, and country is NULL for purchases whose storefront is not known.
-- @integer begins_at, ends_at, tax_rate, commission_rate, reduced_commission_rate, is_in_program
CREATE VIEW proceeds_rate AS
SELECT
  known_at, CASE WHEN bundle_id <> '' THEN bundle_id END AS bundle_id, CASE WHEN country <> '' THEN country END AS country,
  begins_at, ends_at, tax_rate, commission_rate, reduced_commission_rate, is_in_program
FROM int_proceeds_rate;
