-- The query scope that projection_original_transaction does not answer. The causes:
--   - the subscription is not projected
--   - evidence was recorded after known_at
--   - the projected deciding transaction begins after as_of
--   - renewal info was stated after as_of
--   - a payload contradicts itself
-- An original transaction that holds only one-time purchases has no deciding transaction. That is not a cause.
CREATE VIEW int_scope_derived AS
SELECT a.as_of, a.known_at, a.original_transaction_key
FROM int_scope_candidate c
CROSS JOIN param_scope a
LEFT JOIN stg_projection l
  ON l.original_transaction_key = a.original_transaction_key AND l.last_recorded_at <= a.known_at
  AND COALESCE(l.purchase_at, 0) <= a.as_of
  AND COALESCE(l.renewal_evidence_at, 0) <= a.as_of AND l.is_contradicted = 0
WHERE a.as_of = c.as_of AND a.known_at = c.known_at AND a.original_transaction_key = c.original_transaction_key
  AND l.original_transaction_key IS NULL;
