-- Rules §9: a customer's entitlement is the best row of customer_access. The order is active, grace_period,
-- billing_retry, expired, revoked. Ties: the later end of access. One row for each customer, entitlement and
-- environment.
CREATE VIEW customer_entitlement AS
SELECT
  customer, entitlement, environment, has_access, state, access_ends_at, product_id, original_transaction_id, basis,
  rule, confirmed, evidence_at, claimant_count, as_of, known_at, original_transaction_key, is_contradictory,
  trust, added_root
FROM (
  SELECT
    customer_access.*,
    ROW_NUMBER() OVER (
      PARTITION BY as_of, known_at, customer, entitlement, environment
      ORDER BY
        preference, CASE WHEN access_ends_at IS NULL THEN 0 ELSE 1 END, access_ends_at DESC,
        CASE WHEN basis = 'grant' THEN 1 ELSE 0 END, original_transaction_id
    ) AS row_rank
  FROM customer_access
) ranked
WHERE row_rank = 1;
