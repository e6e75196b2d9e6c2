-- Who has access: one row for each subscription (rules §3 to §7), with the fields of the deciding transaction. The
-- answer is for now, or for the instants of another param_query.
--
-- state is active, grace_period, billing_retry, expired or revoked. has_access, confirmed and will_renew are 0 or 1.
-- The view contains every environment. Filter by environment = 'Production' for real customers.
--
-- trust is the lower one of the deciding transaction's and the deciding renewal info's:
--   verified    both are signed
--   unsigned    one of them is not signed
--   unverified  one of them was accepted without proof
-- added_root names the root that one of them leads to, if that root is not Apple's.
--
-- is_contradictory: 1 when a payload that decided contradicts itself. It may be forged or edited.
-- is_renewal_contradictory: 1 when the deciding renewal info contradicts itself. It states that the customer cancelled
-- (expiration_intent 1), and also that auto-renew is on.
CREATE VIEW entitlement AS
SELECT
  e.environment,
  COALESCE(s.bundle_id, p.bundle_id) AS bundle_id,
  e.original_transaction_id,
  e.product_id,
  e.state,
  e.has_access,
  e.access_ends_at,
  e.confirmed,
  e.will_renew,
  e.next_product_id,
  e.expiration_reason,
  e.rule,
  e.evidence_at,
  t.transaction_id,
  s.subscription_group_identifier,
  s.in_app_ownership_type,
  s.web_order_line_item_id,
  i.identifier AS app_account_token,
  s.is_trial_period,
  s.is_in_intro_offer_period,
  s.original_purchase_at,
  e.purchase_at,
  e.expires_at,
  e.revoked_at,
  e.grace_period_expires_at,
  e.seats,
  e.seats_next,
  CASE
    WHEN p.trust = 'unverified' OR o.trust = 'unverified' THEN 'unverified'
    WHEN p.trust = 'unsigned' OR o.trust = 'unsigned' THEN 'unsigned'
    ELSE 'verified'
  END AS trust,
  e.as_of,
  e.known_at,
  e.original_transaction_key,
  e.version_id,
  e.renewal_info_version_id,
  CASE
    WHEN EXISTS (SELECT 1 FROM stg_contradictory_payload x WHERE x.payload_id = v.payload_id) THEN 1
    WHEN EXISTS (SELECT 1 FROM stg_contradictory_payload x WHERE x.payload_id = r.payload_id) THEN 1
    ELSE 0
  END AS is_contradictory,
  CASE WHEN w.expiration_intent = 1 AND w.auto_renew_status = 1 THEN 1 ELSE 0 END AS is_renewal_contradictory,
  COALESCE(c.name, d.name) AS added_root
FROM entitlement_state e
LEFT JOIN transaction_version v ON v.version_id = e.version_id
LEFT JOIN stg_payload_trust p ON p.payload_id = v.payload_id
LEFT JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
-- Every token in s is also in this table. Here SQLite finds it by an index.
LEFT JOIN original_transaction_identifier i
  ON i.original_transaction_key = e.original_transaction_key AND i.kind = 'app_account_token'
  AND i.identifier = s.app_account_token
LEFT JOIN stg_transaction t
  ON t.transaction_key = e.transaction_key AND t.original_transaction_key = e.original_transaction_key
LEFT JOIN renewal_info_version r ON r.version_id = e.renewal_info_version_id
LEFT JOIN renewal_info w ON w.renewal_info_id = r.renewal_info_id
LEFT JOIN stg_payload_trust o ON o.payload_id = r.payload_id
LEFT JOIN root_certificate c ON c.root_id = p.root_id AND c.is_apple = 0
LEFT JOIN root_certificate d ON d.root_id = o.root_id AND d.is_apple = 0;
