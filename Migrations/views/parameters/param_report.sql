-- What a report asks, beside the instants: whose purchases (Sandbox never, unless it is named here), of which app
-- (NULL: all), which metric (NULL: all), by which dimension (none, product, duration, country, offer, offer_type,
-- reason, detail, app), and into which currency money is converted (NULL: into none). Shadowed as `question` is.
CREATE VIEW param_report AS
SELECT
  'Production' AS environment, CAST(NULL AS VARCHAR(255)) AS bundle_id, CAST(NULL AS VARCHAR(64)) AS metric,
  'none' AS dimension, CAST(NULL AS VARCHAR(3)) AS currency;
