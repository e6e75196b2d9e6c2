-- Who has access: one row for each subscription with the result of the rules (rules §3 to §7). It joins no other
-- fields, so that counts are fast.
--
-- state is active, grace_period, billing_retry, expired or revoked. has_access, confirmed and will_renew are 0 or 1.
CREATE VIEW entitlement_state AS
SELECT
  o.environment, o.original_transaction_id, p.product_id, p.state, p.has_access, p.access_ends_at, p.confirmed,
  p.will_renew, p.next_product_id, p.expiration_reason, p.rule, p.evidence_at, p.purchase_at, p.expires_at,
  p.revoked_at, p.grace_period_expires_at, p.seats, p.seats_next, q.as_of, q.known_at, p.original_transaction_key, p.transaction_key,
  p.version_id, p.renewal_info_version_id
FROM param_query q
JOIN stg_entitlement_period p
  ON p.known_at = q.known_at AND p.begins_at <= q.as_of AND COALESCE(p.ends_at, 9223372036854775807) > q.as_of
JOIN original_transaction o ON o.original_transaction_key = p.original_transaction_key;
