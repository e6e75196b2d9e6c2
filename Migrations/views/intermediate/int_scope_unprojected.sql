-- The questions that the projections do not answer: about lines of which nothing is kept for them, and so about all of
-- them where the projections are empty. The general text below them is the truth.
CREATE VIEW int_scope_unprojected AS
SELECT a.as_of, a.known_at, a.original_transaction_key
FROM param_scope a
LEFT JOIN stg_projection l ON l.original_transaction_key = a.original_transaction_key
WHERE l.original_transaction_key IS NULL;
