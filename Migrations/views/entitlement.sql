-- Who has access: one row a line (rules §3 to §7), now, or at the instants of another `question`.
--
-- state: active, grace_period, billing_retry, expired or revoked. has_access, confirmed, will_renew: 0 or 1.
-- Lines of every environment are here: ask for environment = 'Production' where customers are meant.
CREATE VIEW entitlement AS
SELECT
  l.environment,
  COALESCE(s.bundle_id, p.bundle_id) AS bundle_id,
  l.original_transaction_id,
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
    WHEN r.rule = 'covered' THEN 1
    WHEN r.goes_on = 1 THEN 0
    WHEN r.rule = 'revoked' THEN 1
    ELSE r.is_heard_of
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
  t.transaction_id,
  s.subscription_group_identifier,
  s.in_app_ownership_type,
  s.web_order_line_item_id,
  s.app_account_token,
  s.is_trial_period,
  s.is_in_intro_offer_period,
  s.original_purchase_at,
  r.purchase_at,
  r.expires_at,
  r.revoked_at,
  r.grace_period_expires_at,
  p.trust,
  r.as_of,
  r.known_at,
  r.line_id,
  r.version_id,
  CASE WHEN r.rule IN ('grace', 'retry', 'retry_exhausted', 'lapsed', 'unconfirmed') THEN r.lapsed_version_id END
    AS renewal_version_id
FROM entitlement_rule r
JOIN line l ON l.line_id = r.line_id
LEFT JOIN transaction_version v ON v.version_id = r.version_id
LEFT JOIN payload p ON p.payload_id = v.payload_id
LEFT JOIN transaction_statement s ON s.statement_id = v.statement_id
LEFT JOIN store_transaction t ON t.transaction_key = r.transaction_key;
