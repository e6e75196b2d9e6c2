-- The query scope that the projections do not answer. It is the whole query scope when the projections are empty. Views
-- that read it derive their results from the evidence. That derivation is the reference, and a projection stores its
-- results.
CREATE VIEW int_scope_unprojected AS
SELECT a.as_of, a.known_at, a.original_transaction_key
FROM param_scope a
LEFT JOIN stg_projection l ON l.original_transaction_key = a.original_transaction_key
WHERE l.original_transaction_key IS NULL;
