-- The states of each subscription by the rules, from its first purchase on. Nothing in a row changes from begins_at
-- until ends_at (NULL: no end). The row that contains an instant is the answer of `entitlement` for that instant.
-- @key known_at, original_transaction_key, begins_at
CREATE VIEW state_history AS
SELECT
  environment, original_transaction_id, as_of AS begins_at,
  LEAD(as_of) OVER (PARTITION BY known_at, original_transaction_key ORDER BY as_of) AS ends_at,
  product_id, state, has_access, access_ends_at, confirmed, will_renew, next_product_id, expiration_reason, rule,
  purchase_at, expires_at, revoked_at, grace_period_expires_at, known_at, original_transaction_key, transaction_key,
  version_id,
  renewal_info_version_id
FROM int_state_timeline;
