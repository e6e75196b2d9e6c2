-- The questions that a line's one kept row does not answer: where something was recorded after K, where the head had
-- not begun yet, where renewal info was said after T, where a payload contradicts itself. (A line that holds one-time
-- purchases only never has a head.)
CREATE VIEW int_scope_unsettled AS
SELECT a.as_of, a.known_at, a.original_transaction_key
FROM param_scope a
LEFT JOIN stg_projection l
  ON l.original_transaction_key = a.original_transaction_key AND l.last_recorded_at <= a.known_at
  AND COALESCE(l.purchase_at, 0) <= a.as_of
  AND COALESCE(l.renewal_evidence_at, 0) <= a.as_of AND l.is_contradicted = 0
WHERE l.original_transaction_key IS NULL;
