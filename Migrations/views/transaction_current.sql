-- Every transaction that had begun, in its current version, with its typed fields: one row a transaction, for every
-- question. What comes after as_of is not shown: a later revocation, a later upgrade.
--
-- Money (rules §10): price_milliunits is NULL where Apple named no price and for what was not paid by its owner
-- (family sharing, assigned seats). refunded_milliunits is the share that was given back, the whole where no share is
-- stated; an upgrade is no refund. is_counted is 1 on one transaction of each purchase: restores give the same
-- web_order_line_item_id new transaction ids.
CREATE VIEW transaction_current AS
SELECT
  environment, bundle_id, original_transaction_id, transaction_id, product_id, type, purchase_at, expires_at,
  revoked_at, is_upgraded, original_purchase_at, web_order_line_item_id, subscription_group_identifier,
  in_app_ownership_type, quantity, transaction_reason, revocation_reason, revocation_type, revocation_percentage,
  is_trial_period, is_in_intro_offer_period, offer_type, offer_identifier, offer_discount_type, offer_period,
  storefront, currency, price_milliunits,
  CASE
    WHEN revoked_at IS NULL OR is_upgraded = 1 THEN NULL
    WHEN revocation_percentage IS NULL THEN price_milliunits
    ELSE (price_milliunits * revocation_percentage + 50000) / 100000
  END AS refunded_milliunits,
  CASE WHEN web_order_line_item_id IS NULL OR place = 1 THEN 1 ELSE 0 END AS is_counted,
  app_account_token, app_transaction_id, trust, evidence_at, as_of, known_at, line_id, transaction_key, version_id
FROM (
  SELECT
    l.environment, COALESCE(s.bundle_id, p.bundle_id) AS bundle_id, l.original_transaction_id, n.transaction_id,
    t.product_id, s.type, t.purchase_at, t.expires_at,
    CASE WHEN t.revoked_at <= t.as_of THEN t.revoked_at END AS revoked_at,
    CASE WHEN t.is_upgraded = 1 AND COALESCE(t.revoked_at, t.evidence_at) <= t.as_of THEN 1 ELSE 0 END AS is_upgraded,
    s.original_purchase_at,
    s.web_order_line_item_id, s.subscription_group_identifier, s.in_app_ownership_type, s.quantity,
    s.transaction_reason, s.revocation_reason, s.revocation_type, s.revocation_percentage, s.is_trial_period,
    s.is_in_intro_offer_period, s.offer_type, s.offer_identifier, s.offer_discount_type, s.offer_period,
    s.storefront, s.currency,
    CASE WHEN s.in_app_ownership_type IN ('FAMILY_SHARED', 'ASSIGNED') THEN NULL ELSE s.price_milliunits END
      AS price_milliunits,
    s.app_account_token, s.app_transaction_id, p.trust, t.evidence_at, t.as_of, t.known_at, t.line_id,
    t.transaction_key, t.version_id,
    ROW_NUMBER() OVER (
      PARTITION BY t.as_of, t.known_at, t.line_id, s.web_order_line_item_id
      ORDER BY t.purchase_at, n.transaction_id
    ) AS place
  FROM transaction_at t
  JOIN line l ON l.line_id = t.line_id
  JOIN store_transaction n ON n.transaction_key = t.transaction_key
  JOIN transaction_version v ON v.version_id = t.version_id
  JOIN transaction_statement s ON s.statement_id = v.statement_id
  JOIN payload p ON p.payload_id = v.payload_id
  WHERE t.purchase_at <= t.as_of
) one;
