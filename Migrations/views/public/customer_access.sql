-- Everything that supports a customer's entitlement, in any state (rules §9). There is one row for each subscription,
-- one-time purchase, open seat claim or grant (basis). A purchase grants only what the catalogue of its own app states. Grants belong to
-- Production.
--
-- preference orders the states: 1 active, 2 grace_period, 3 billing_retry, 4 expired, 5 revoked.
CREATE VIEW customer_access AS
SELECT
  customer, entitlement, environment, basis, state, has_access, access_ends_at, product_id, original_transaction_id,
  rule, evidence_at, confirmed, is_contradictory, trust, added_root, claimant_count,
  CASE state
    WHEN 'active' THEN 1 WHEN 'grace_period' THEN 2 WHEN 'billing_retry' THEN 3 WHEN 'expired' THEN 4 ELSE 5
  END AS preference,
  as_of, known_at, original_transaction_key
FROM (
  SELECT
    c.customer, m.entitlement, c.environment, 'subscription' AS basis, e.state, e.has_access, e.access_ends_at,
    e.product_id, c.original_transaction_id, e.rule, e.evidence_at, e.confirmed, e.is_contradictory, e.trust,
    e.added_root, c.claimant_count, e.as_of, e.known_at, e.original_transaction_key
  FROM customer_original_transaction c
  JOIN entitlement e ON e.as_of = c.as_of AND e.known_at = c.known_at
  AND e.original_transaction_key = c.original_transaction_key
  JOIN int_catalogue_app a ON a.as_of = e.as_of AND a.known_at = e.known_at AND a.named = COALESCE(e.bundle_id, '')
  JOIN product_entitlement m
    ON m.as_of = e.as_of AND m.known_at = e.known_at AND m.bundle_id = a.bundle_id AND m.product_id = e.product_id
  UNION ALL
  SELECT
    c.customer, m.entitlement, c.environment, 'one_time_purchase', o.state, o.has_access, o.access_ends_at,
    o.product_id, c.original_transaction_id, o.rule, o.evidence_at, o.confirmed, o.is_contradictory, o.trust,
    o.added_root, c.claimant_count, o.as_of, o.known_at, o.original_transaction_key
  FROM customer_original_transaction c
  JOIN one_time_purchase o ON o.as_of = c.as_of AND o.known_at = c.known_at
  AND o.original_transaction_key = c.original_transaction_key
  JOIN int_catalogue_app a ON a.as_of = o.as_of AND a.known_at = o.known_at AND a.named = COALESCE(o.bundle_id, '')
  JOIN product_entitlement m
    ON m.as_of = o.as_of AND m.known_at = o.known_at AND m.bundle_id = a.bundle_id AND m.product_id = o.product_id
  WHERE o.state IN ('active', 'expired', 'revoked')
  UNION ALL
  SELECT
    c.customer, m.entitlement, c.environment, 'seat_claim', e.state, e.has_access, e.access_ends_at, e.product_id,
    c.original_transaction_id, e.rule, e.evidence_at, e.confirmed, e.is_contradictory, e.trust, e.added_root, 1,
    e.as_of, e.known_at, e.original_transaction_key
  FROM customer_seat_claim c
  JOIN entitlement e ON e.as_of = c.as_of AND e.known_at = c.known_at
  AND e.original_transaction_key = c.original_transaction_key
  JOIN int_catalogue_app a ON a.as_of = e.as_of AND a.known_at = e.known_at AND a.named = COALESCE(e.bundle_id, '')
  JOIN product_entitlement m
    ON m.as_of = e.as_of AND m.known_at = e.known_at AND m.bundle_id = a.bundle_id AND m.product_id = e.product_id
  WHERE c.is_open = 1
  UNION ALL
  SELECT
    customer, entitlement, 'Production', 'grant', state, has_access, access_ends_at, NULL, NULL, rule, NULL, 1, 0,
    NULL, NULL, 1,
    as_of, known_at, NULL
  FROM customer_grant
  WHERE begins_at <= as_of
) access;
