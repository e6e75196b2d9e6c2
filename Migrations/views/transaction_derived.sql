-- Rules §2: the current version of a transaction is, among those known, the one that none comes after.
CREATE VIEW transaction_derived AS
SELECT
  as_of, known_at, line_id, transaction_key, version_id, evidence_at, source_rank,
  product_id, purchase_at, expires_at, revoked_at, is_upgraded
FROM transaction_interval
WHERE known_until = 9223372036854775807;
