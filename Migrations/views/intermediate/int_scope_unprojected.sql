-- The query scope that the projections do not answer. It is the whole query scope when the projections are empty. Views
-- that read it derive their results from the evidence. That derivation is the reference, and a projection stores its
-- results.
CREATE VIEW int_scope_unprojected AS
SELECT a.as_of, a.known_at, a.original_transaction_key
FROM int_scope_candidate c
CROSS JOIN param_scope a
LEFT JOIN stg_projection l ON l.original_transaction_key = a.original_transaction_key
WHERE a.as_of = c.as_of AND a.known_at = c.known_at AND a.original_transaction_key = c.original_transaction_key
  AND l.original_transaction_key IS NULL;
