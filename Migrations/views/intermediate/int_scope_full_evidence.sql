-- The query scope that needs every payload. It has the subscriptions that are not projected, and those with a
-- contradictory payload.
CREATE VIEW int_scope_full_evidence AS
SELECT as_of, known_at, original_transaction_key FROM int_scope_unprojected
UNION ALL
SELECT a.as_of, a.known_at, a.original_transaction_key
FROM param_scope a
JOIN stg_projection l ON l.original_transaction_key = a.original_transaction_key
WHERE l.is_contradicted = 1;
