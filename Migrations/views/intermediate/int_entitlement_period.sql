-- The answer of the rules for each subscription, from its first purchase on. Nothing in a row changes from begins_at
-- until ends_at (NULL: no end), and something is different in the next row. entitlement_period stores these rows, from
-- everything that is known.
-- @key original_transaction_key, begins_at, known_at
CREATE VIEW int_entitlement_period AS
WITH answer AS (SELECT * FROM int_entitlement_instant)
SELECT
  e.known_at, e.original_transaction_key, e.as_of AS begins_at, c.ends_at, e.product_id, e.state, e.has_access,
  e.access_ends_at, e.confirmed, e.will_renew, e.next_product_id, e.expiration_reason, e.rule, e.evidence_at,
  e.purchase_at, e.expires_at, e.revoked_at, e.grace_period_expires_at, e.transaction_key, e.version_id,
  e.renewal_info_version_id, e.seats, e.seats_next
FROM (
  -- The instants at which the answer is different from the one before. Two answers with the same values here are equal:
  -- the other columns follow from these.
  SELECT
    n.known_at, n.original_transaction_key, n.change_number,
    LEAD(n.as_of) OVER (PARTITION BY n.known_at, n.original_transaction_key ORDER BY n.change_number) AS ends_at
  FROM answer n
  LEFT JOIN answer p
    ON p.known_at = n.known_at AND p.original_transaction_key = n.original_transaction_key
    AND p.change_number = n.change_number - 1
    AND p.version_id = n.version_id
    AND p.rule = n.rule
    AND p.expires_at = n.expires_at
    AND COALESCE(p.seats, -1) = COALESCE(n.seats, -1)
    AND COALESCE(p.seats_next, -1) = COALESCE(n.seats_next, -1)
    AND p.confirmed = n.confirmed
    AND COALESCE(p.will_renew, 2) = COALESCE(n.will_renew, 2)
    AND COALESCE(p.next_product_id, '') = COALESCE(n.next_product_id, '')
    AND COALESCE(p.grace_period_expires_at, 0) = COALESCE(n.grace_period_expires_at, 0)
    AND COALESCE(p.renewal_info_version_id, 0) = COALESCE(n.renewal_info_version_id, 0)
  WHERE p.change_number IS NULL
) c
JOIN answer e
  ON e.known_at = c.known_at AND e.original_transaction_key = c.original_transaction_key
  AND e.change_number = c.change_number;
