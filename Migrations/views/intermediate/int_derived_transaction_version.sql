-- Rules §2: the current version of a transaction is the known version that no other known version replaces.
CREATE VIEW int_derived_transaction_version AS
SELECT
  as_of, known_at, original_transaction_key, transaction_key, version_id, evidence_at, source_rank, purchase_at,
  expires_at, revoked_at, is_upgraded
FROM int_transaction_version_interval
WHERE known_until IS NULL;
