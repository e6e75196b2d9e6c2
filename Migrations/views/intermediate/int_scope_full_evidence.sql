-- The query scope that needs every payload. It has the subscriptions that are not projected, and those with a
-- contradictory payload.
CREATE VIEW int_scope_full_evidence AS
SELECT as_of, known_at, original_transaction_key FROM int_scope_unprojected
UNION ALL
SELECT a.as_of, a.known_at, a.original_transaction_key
FROM int_scope_candidate c
CROSS JOIN param_scope a
CROSS JOIN stg_projection l
WHERE a.as_of = c.as_of AND a.known_at = c.known_at AND a.original_transaction_key = c.original_transaction_key
  AND l.original_transaction_key = a.original_transaction_key AND l.is_contradicted = 1;
