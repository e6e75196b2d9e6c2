-- The parameters of a report, beside the instants of param_query. For other parameters, define another relation with
-- this name, as for param_query.
--
--   environment  whose purchases count; Sandbox counts only when it is named here
--   bundle_id    the app; NULL: all apps
--   metric       the metric; NULL: all metrics
--   dimension    none, product, duration, country, offer, offer_type, reason, detail or app
--   currency     the currency into which money is converted; NULL: no conversion
CREATE VIEW param_report AS
SELECT
  'Production' AS environment, CAST(NULL AS VARCHAR(255)) AS bundle_id, CAST(NULL AS VARCHAR(64)) AS metric,
  'none' AS dimension, CAST(NULL AS VARCHAR(3)) AS currency;
