-- The parameters of a report, beside the instants of param_query. For other parameters, define another relation with
-- this name, as for param_query.
--
--   environment  whose purchases count; Sandbox counts only when it is named here
--   bundle_id    the app; NULL: all apps
--   metric       the metric; NULL: all metrics
--   by_product   1 where the figures are split by product, else 0; the same for by_duration, by_country, by_offer,
--                by_offer_type, by_reason, by_detail and by_app
--   currency     the currency into which money is converted; NULL: no conversion
CREATE VIEW param_report AS
SELECT
  'Production' AS environment, CAST(NULL AS VARCHAR(255)) AS bundle_id, CAST(NULL AS VARCHAR(64)) AS metric,
  0 AS by_product, 0 AS by_duration, 0 AS by_country, 0 AS by_offer, 0 AS by_offer_type, 0 AS by_reason,
  0 AS by_detail, 0 AS by_app, CAST(NULL AS VARCHAR(3)) AS currency;
