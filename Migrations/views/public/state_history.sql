-- The states of each subscription by the rules, from its first purchase on. Nothing in a row changes from begins_at
-- until ends_at (NULL: no end). The row that contains an instant is the answer of `entitlement` for that instant.
-- @key original_transaction_key, begins_at, known_at
CREATE VIEW state_history AS
SELECT
  o.environment, o.original_transaction_id, p.begins_at, p.ends_at, p.product_id, p.state, p.has_access,
  p.access_ends_at, p.confirmed, p.will_renew, p.next_product_id, p.expiration_reason, p.rule, p.purchase_at,
  p.expires_at, p.revoked_at, p.grace_period_expires_at, p.seats, p.seats_next, p.known_at, p.original_transaction_key,
  p.transaction_key, p.version_id, p.renewal_info_version_id
FROM stg_entitlement_period p
JOIN original_transaction o ON o.original_transaction_key = p.original_transaction_key;
