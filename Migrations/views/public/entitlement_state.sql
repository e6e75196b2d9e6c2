-- Who has access: one row for each subscription with the result of the rules (rules §3 to §7). It joins no other
-- fields, so that counts are fast.
--
-- state is active, grace_period, billing_retry, expired or revoked. has_access, confirmed and will_renew are 0 or 1.
CREATE VIEW entitlement_state AS
SELECT
  r.environment,
  r.original_transaction_id,
  r.product_id,
  CASE r.rule
    WHEN 'revoked' THEN 'revoked'
    WHEN 'covered' THEN 'active'
    WHEN 'grace' THEN 'grace_period'
    WHEN 'retry' THEN 'billing_retry'
    ELSE 'expired'
  END AS state,
  CASE WHEN r.rule IN ('covered', 'grace') THEN 1 ELSE 0 END AS has_access,
  CASE
    WHEN r.rule = 'revoked' AND r.revoked_at < r.expires_at THEN r.revoked_at
    WHEN r.rule = 'superseded' THEN r.superseded_at
    WHEN r.rule IN ('revoked', 'covered') THEN r.expires_at
    ELSE COALESCE(r.grace_period_expires_at, r.expires_at)
  END AS access_ends_at,
  CASE
    WHEN r.rule = 'superseded' THEN 0
    WHEN r.rule IN ('covered', 'revoked') AND r.is_contradicted = 1 THEN 0
    WHEN r.rule = 'covered' THEN 1
    WHEN r.implies_renewal = 1 THEN 0
    WHEN r.rule = 'revoked' THEN 1
    ELSE r.has_later_evidence
  END AS confirmed,
  r.auto_renew_status AS will_renew,
  r.auto_renew_product_id AS next_product_id,
  CASE
    WHEN r.rule = 'retry_exhausted' THEN 'billing_error'
    WHEN r.rule NOT IN ('lapsed', 'unconfirmed') THEN NULL
    WHEN r.expiration_intent = 1 THEN 'customer_cancelled'
    WHEN r.expiration_intent = 2 THEN 'billing_error'
    WHEN r.expiration_intent = 3 THEN 'price_increase_not_accepted'
    WHEN r.expiration_intent = 4 THEN 'product_unavailable'
    WHEN r.expiration_intent IS NOT NULL THEN 'other'
  END AS expiration_reason,
  r.rule,
  r.evidence_at,
  r.purchase_at,
  r.expires_at,
  r.revoked_at,
  r.grace_period_expires_at,
  r.as_of,
  r.known_at,
  r.original_transaction_key,
  r.transaction_key,
  r.version_id,
  -- Before the end of the period, no renewal info decides. (SQLite makes a table of a list of more than two.)
  CASE r.rule
    WHEN 'revoked' THEN NULL WHEN 'superseded' THEN NULL WHEN 'covered' THEN NULL
    ELSE r.deciding_renewal_info_version_id
  END AS renewal_info_version_id
FROM rule_decision r;
