-- The questions for which every payload about a line is looked at: where nothing is kept of the line, and where one of
-- its payloads contradicts itself.
CREATE VIEW int_scope_full_evidence AS
SELECT as_of, known_at, original_transaction_key FROM int_scope_unprojected
UNION ALL
SELECT a.as_of, a.known_at, a.original_transaction_key
FROM param_scope a
JOIN stg_projection l ON l.original_transaction_key = a.original_transaction_key
WHERE l.is_contradicted = 1;
