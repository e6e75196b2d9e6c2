-- The current version of each transaction (rules §2), for each row of the query scope. It comes from the projection, or
-- from the full derivation if the subscription is not projected.
CREATE VIEW int_current_transaction_version AS
SELECT
  as_of, known_at, original_transaction_key, transaction_key, version_id, evidence_at, source_rank, purchase_at,
  expires_at, revoked_at, is_upgraded
FROM stg_projected_transaction_version
UNION ALL
SELECT
  as_of, known_at, original_transaction_key, transaction_key, version_id, evidence_at, source_rank, purchase_at,
  expires_at, revoked_at, is_upgraded
FROM int_derived_transaction_version;
