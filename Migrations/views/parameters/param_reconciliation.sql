-- The days of a reconciliation, each as the first millisecond of its date in UTC, and whose purchases count. This view
-- selects the 31 days until the day before yesterday. For others, define another relation with this name, as for
-- param_query.
--
--   bundle_id  the app; NULL: all apps
CREATE VIEW param_reconciliation AS
SELECT
  (as_of / 86400000 - 32) * 86400000 AS first_day_at, (as_of / 86400000 - 2) * 86400000 AS last_day_at,
  CAST(NULL AS VARCHAR(255)) AS bundle_id
FROM param_query;
