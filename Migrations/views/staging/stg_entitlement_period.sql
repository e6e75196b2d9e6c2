-- The periods of the subscriptions that a query is about, as they were known. In the ledger's file they are stored: the
-- program puts derived ones in their place for an earlier known_at or a greater minimum_trust.
-- @elsewhere int_entitlement_period
CREATE VIEW stg_entitlement_period AS
SELECT
  a.known_at, p.original_transaction_key, p.begins_at, p.ends_at, p.product_id, p.state, p.has_access,
  p.access_ends_at, p.confirmed, p.will_renew, p.next_product_id, p.expiration_reason, p.rule, p.evidence_at,
  p.purchase_at, p.expires_at, p.revoked_at, p.grace_period_expires_at, p.transaction_key, p.version_id,
  p.renewal_info_version_id, p.seats, p.seats_next
FROM int_scope_known a
CROSS JOIN entitlement_period p
WHERE p.original_transaction_key = a.original_transaction_key;
