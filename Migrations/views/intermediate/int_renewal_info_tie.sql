-- The first version for each product, where several renewal info versions have one evidence_at (rules §5, ties).
-- @key known_at, original_transaction_key, evidence_at, product_id
CREATE VIEW int_renewal_info_tie AS
SELECT known_at, original_transaction_key, evidence_at, product_id, MIN(row_rank) AS row_rank
FROM int_renewal_info_history
WHERE is_tied = 1 AND product_id IS NOT NULL
GROUP BY known_at, original_transaction_key, evidence_at, product_id;
