-- The customers that each original transaction belongs to. The last staff entry about a customer and an original
-- transaction decides. Without an entry, it belongs to its account token. A token that is linked to a customer stands
-- for that customer only.
--
-- Several customers may claim one original transaction. Then each of them has a row, and claimant_count is their
-- number.
CREATE VIEW customer_original_transaction AS
SELECT
  claim.customer, l.environment, l.original_transaction_id, claim.basis, claim.identifier, claim.reason, claim.author,
  claim.claimed_at, COUNT(*) OVER (PARTITION BY claim.as_of, claim.known_at,
  claim.original_transaction_key) AS claimant_count,
  claim.as_of, claim.known_at, claim.original_transaction_key
FROM (
  SELECT
    as_of, known_at, original_transaction_key, customer, 'link' AS basis, identifier, reason, author,
    recorded_at AS claimed_at
  FROM int_customer_link_entry
  WHERE customer_rank = 1 AND action = 'link'
  UNION ALL
  SELECT
    n.as_of, n.known_at, n.original_transaction_key, n.identifier, 'app_account_token', n.identifier, NULL, NULL, NULL
  FROM int_known_identifier n
  LEFT JOIN int_customer_link_entry owner
    ON owner.as_of = n.as_of AND owner.known_at = n.known_at
    AND owner.original_transaction_key = n.original_transaction_key
    AND owner.identifier = n.identifier AND owner.identifier_rank = 1 AND owner.action = 'link'
  LEFT JOIN int_customer_link_entry own
    ON own.as_of = n.as_of AND own.known_at = n.known_at AND own.original_transaction_key = n.original_transaction_key
    AND own.customer = n.identifier AND own.customer_rank = 1
  WHERE n.kind = 'app_account_token' AND owner.original_transaction_key IS NULL AND own.original_transaction_key IS NULL
) claim
JOIN original_transaction l ON l.original_transaction_key = claim.original_transaction_key;
