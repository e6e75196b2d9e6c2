-- The answer of the rules at every instant at which it can change (rules §3 to §7). change_number counts these instants
-- in each subscription, from 1. The answer often stays the same.
--
-- state is active, grace_period, billing_retry, expired or revoked. has_access, confirmed and will_renew are 0 or 1.
-- @key known_at, original_transaction_key, change_number
-- @integer change_number, seats
CREATE VIEW int_entitlement_instant AS
SELECT
  as_of,
  known_at,
  original_transaction_key,
  change_number,
  product_id,
  CASE rule
    WHEN 'revoked' THEN 'revoked'
    WHEN 'covered' THEN 'active'
    WHEN 'grace' THEN 'grace_period'
    WHEN 'retry' THEN 'billing_retry'
    ELSE 'expired'
  END AS state,
  CASE WHEN rule IN ('covered', 'grace') THEN 1 ELSE 0 END AS has_access,
  CASE
    WHEN rule = 'revoked' AND revoked_at < expires_at THEN revoked_at
    WHEN rule = 'superseded' THEN superseded_at
    WHEN rule IN ('revoked', 'covered') THEN expires_at
    ELSE COALESCE(grace_period_expires_at, expires_at)
  END AS access_ends_at,
  CASE
    WHEN rule = 'superseded' OR is_incomplete = 1 THEN 0
    WHEN rule IN ('covered', 'revoked') AND is_contradicted = 1 THEN 0
    WHEN rule = 'covered' THEN 1
    WHEN implies_renewal = 1 THEN 0
    WHEN rule = 'revoked' THEN 1
    ELSE has_later_evidence
  END AS confirmed,
  auto_renew_status AS will_renew,
  auto_renew_product_id AS next_product_id,
  CASE
    WHEN rule = 'retry_exhausted' THEN 'billing_error'
    WHEN rule NOT IN ('lapsed', 'unconfirmed') THEN NULL
    WHEN expiration_intent = 1 THEN 'customer_cancelled'
    WHEN expiration_intent = 2 THEN 'billing_error'
    WHEN expiration_intent = 3 THEN 'price_increase_not_accepted'
    WHEN expiration_intent = 4 THEN 'product_unavailable'
    WHEN expiration_intent IS NOT NULL THEN 'other'
  END AS expiration_reason,
  rule,
  evidence_at,
  purchase_at,
  expires_at,
  revoked_at,
  grace_period_expires_at,
  transaction_key,
  version_id,
  -- Before the end of the period, no renewal info decides. (SQLite makes a table of a list of more than two.)
  CASE rule
    WHEN 'revoked' THEN NULL WHEN 'superseded' THEN NULL WHEN 'covered' THEN NULL
    ELSE deciding_renewal_info_version_id
  END AS renewal_info_version_id,
  CASE WHEN rule IN ('covered', 'grace') THEN seats WHEN seats IS NOT NULL THEN 0 END AS seats,
  renewal_quantity AS seats_next
FROM rule_decision;
