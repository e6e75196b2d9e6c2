-- The current version of every transaction, for every question: from the projection, else from the general text.
CREATE VIEW transaction_at AS
SELECT
  as_of, known_at, line_id, transaction_key, version_id, evidence_at, source_rank,
  product_id, purchase_at, expires_at, revoked_at, is_upgraded
FROM transaction_kept
UNION ALL
SELECT
  as_of, known_at, line_id, transaction_key, version_id, evidence_at, source_rank,
  product_id, purchase_at, expires_at, revoked_at, is_upgraded
FROM transaction_derived;
