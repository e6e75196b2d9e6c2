-- The parameter of rule_purchase_obstacle, beside the instants of param_query. For another one, define another relation
-- with this name, as for param_query.
--
--   patience  how long an attempt without an end stands against another purchase; milliseconds
CREATE VIEW param_clearance AS
SELECT CAST(600000 AS BIGINT) AS patience;
