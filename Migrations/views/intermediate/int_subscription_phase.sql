-- The phases of each subscription that metrics count. Each phase has the dimensions of its transaction, and values of
-- the phases before and after it.
--
-- kind is what the subscription's holder has:
--   paid    access that the holder paid for, in a grace period too
--           also a free period that began before the paid access ended
--   trial   access in a free period that does not follow paid access
--   family, seat  access that somebody else pays for
--   NULL    no access
CREATE VIEW int_subscription_phase AS
SELECT
  k.*,
  LAG(kind) OVER history AS previous_kind,
  LAG(state) OVER history AS previous_state,
  LAG(product_id) OVER history AS previous_product_id,
  LAG(is_free) OVER history AS was_free,
  LEAD(kind) OVER history AS next_kind,
  LEAD(state) OVER history AS next_state,
  LEAD(rule) OVER history AS next_rule,
  LEAD(will_renew) OVER history AS next_will_renew,
  LEAD(expiration_reason) OVER history AS next_expiration_reason,
  LEAD(product_id) OVER history AS next_phase_product_id,
  (SUM(CASE WHEN kind = 'paid' THEN 1 ELSE 0 END) OVER history) - CASE WHEN kind = 'paid' THEN 1 ELSE 0 END AS
    paid_before
FROM (
  SELECT
    c.*,
    LEAD(begins_at) OVER history AS ends_at,
    CASE
      WHEN has_access = 0 THEN NULL
      WHEN in_app_ownership_type = 'FAMILY_SHARED' THEN 'family'
      WHEN in_app_ownership_type = 'ASSIGNED' THEN 'seat'
      WHEN is_free = 0 THEN 'paid'
      WHEN MAX(CASE WHEN has_access = 1 AND is_free = 0 THEN begins_at END) OVER history
        > COALESCE(MAX(CASE WHEN has_access = 0 THEN begins_at END) OVER history, 0)
      THEN 'paid'
      ELSE 'trial'
    END AS kind
  FROM (
    SELECT
      t.as_of, s.environment, t.bundle_id, s.product_id, t.storefront AS country, t.currency, t.offer_type,
      t.offer_identifier, t.price_milliunits, t.in_app_ownership_type, t.is_paid_by_owner, t.is_free,
      t.offer_discount_type, t.offer_period, t.billing_plan_type, s.purchase_at, s.expires_at, s.state, s.rule,
      s.has_access, s.will_renew, s.expiration_reason, s.begins_at, s.known_at, s.original_transaction_key,
      s.version_id,
      CASE
        WHEN LAG(s.version_id) OVER spans = s.version_id AND LAG(s.state) OVER spans = s.state
          AND LAG(s.rule) OVER spans = s.rule
          AND COALESCE(LAG(s.will_renew) OVER spans, 2) = COALESCE(s.will_renew, 2)
          AND COALESCE(LAG(s.expiration_reason) OVER spans, '') = COALESCE(s.expiration_reason, '')
        THEN 0
        ELSE 1
      END AS is_change
    FROM state_history s
    JOIN transaction_current t
      ON t.known_at = s.known_at AND t.original_transaction_key = s.original_transaction_key
      AND t.transaction_key = s.transaction_key
    WINDOW spans AS (PARTITION BY t.as_of, s.known_at, s.original_transaction_key ORDER BY s.begins_at)
  ) c
  WHERE is_change = 1
  WINDOW history AS (PARTITION BY as_of, known_at, original_transaction_key ORDER BY begins_at)
) k
WINDOW history AS (PARTITION BY as_of, known_at, original_transaction_key ORDER BY begins_at);
