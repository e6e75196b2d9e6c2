-- What happened to the ledger's subscriptions in Apple's terms, for a reconciliation with the report about subscription
-- events: one row for each event, on the Pacific day on which Apple should report it. kind is one of apple_event.
--
-- A change of the state or of the period is an event. What it is depends on the state before:
--
--   none                           activations
--   expired or revoked             returns
--   grace period or billing retry  recoveries
--   active                         plan_changes for another product, offers for an offer, conversions for the full price
--                                  after an offer, else renewals
--
-- A failed renewal (billing_issues) counts once, when grace or retry begins. The end without a refund is one of
-- cancellations. refunds are by the day of the refund, also those that were reversed later. The money back for an upgrade
-- is none.
-- @integer is_counted, is_signed
CREATE VIEW reconciliation_event AS
WITH change AS (
  SELECT
    h.known_at, h.original_transaction_key, h.transaction_key, h.begins_at, h.state, h.product_id,
    LAG(h.state) OVER of_subscription AS previous_state,
    LAG(h.product_id) OVER of_subscription AS previous_product_id,
    LAG(h.transaction_key) OVER of_subscription AS previous_transaction_key
  FROM state_history h
  WINDOW of_subscription AS (PARTITION BY h.known_at, h.original_transaction_key ORDER BY h.begins_at)
),
happened AS (
  SELECT
    t.as_of, c.known_at, c.original_transaction_key, t.transaction_id, t.original_transaction_id, t.environment, t.bundle_id,
    t.storefront, t.is_paid_by_owner, t.is_free, t.trust, c.begins_at AS occurred_at, c.product_id,
    CASE
      WHEN c.previous_state IS NULL THEN CASE WHEN c.state = 'active' THEN 'activations' END
      -- What happened while a refund held that Apple reversed later: the subscription had ended.
      WHEN r.transaction_key IS NOT NULL
      THEN CASE WHEN c.state = 'active' AND c.transaction_key <> c.previous_transaction_key THEN 'returns' END
      WHEN c.state = 'active' AND c.transaction_key <> c.previous_transaction_key
      THEN CASE
        WHEN c.previous_state IN ('expired', 'revoked') THEN 'returns'
        WHEN c.previous_state IN ('grace_period', 'billing_retry') THEN 'recoveries'
        WHEN c.product_id <> c.previous_product_id THEN 'plan_changes'
        WHEN t.offer_type IS NOT NULL OR t.is_free = 1 OR t.is_in_intro_offer_period = 1 THEN 'offers'
        WHEN p.offer_type IS NOT NULL OR p.is_free = 1 OR p.is_in_intro_offer_period = 1 THEN 'conversions'
        ELSE 'renewals'
      END
      WHEN c.state IN ('grace_period', 'billing_retry') AND c.previous_state = 'active' THEN 'billing_issues'
      WHEN c.state = 'expired' AND c.previous_state IN ('active', 'grace_period', 'billing_retry') THEN 'cancellations'
    END AS kind
  FROM change c
  JOIN transaction_current t
    ON t.known_at = c.known_at AND t.original_transaction_key = c.original_transaction_key
    AND t.transaction_key = c.transaction_key
  LEFT JOIN transaction_current p
    ON p.known_at = c.known_at AND p.original_transaction_key = c.original_transaction_key
    AND p.transaction_key = c.previous_transaction_key
  LEFT JOIN int_reversed_refund r
    ON r.known_at = c.known_at AND r.original_transaction_key = c.original_transaction_key
    AND r.transaction_key = c.previous_transaction_key AND r.revoked_at <= c.begins_at AND r.reversed_at > c.begins_at
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, transaction_id, original_transaction_id, environment, bundle_id, storefront,
    is_paid_by_owner, is_free, trust, revoked_at, product_id, 'refunds'
  FROM transaction_current
  WHERE is_counted = 1 AND expires_at IS NOT NULL AND is_upgraded = 0 AND revoked_at IS NOT NULL
  UNION ALL
  SELECT
    t.as_of, t.known_at, t.original_transaction_key, t.transaction_id, t.original_transaction_id, t.environment, t.bundle_id,
    t.storefront, t.is_paid_by_owner, t.is_free, t.trust, r.revoked_at, t.product_id, 'refunds'
  FROM transaction_current t
  JOIN int_reversed_refund r
    ON r.known_at = t.known_at AND r.original_transaction_key = t.original_transaction_key
    AND r.transaction_key = t.transaction_key
  WHERE t.is_counted = 1 AND t.expires_at IS NOT NULL
)
SELECT
  as_of, known_at, kind, day_at, utc_day_at, product_id, country, 1 AS units,
  CASE WHEN excluded_by IS NULL THEN 1 ELSE 0 END AS is_counted, excluded_by,
  CASE WHEN trust = 'verified' THEN 1 ELSE 0 END AS is_signed, occurred_at, environment, bundle_id,
  original_transaction_id, transaction_id, original_transaction_key
FROM (
  SELECT
    e.*, e.storefront AS country, (e.occurred_at + c.utc_offset) / 86400000 * 86400000 AS day_at,
    e.occurred_at / 86400000 * 86400000 AS utc_day_at,
    CASE
      WHEN e.environment <> 'Production' THEN 'environment'
      WHEN e.is_paid_by_owner = 0 THEN 'ownership'
      WHEN e.kind = 'refunds' AND e.is_free = 1 THEN 'free'
    END AS excluded_by
  FROM happened e
  JOIN int_reconciliation_clock c ON c.begins_at <= e.occurred_at AND c.ends_at > e.occurred_at
  CROSS JOIN (SELECT DISTINCT bundle_id FROM param_reconciliation) p
  WHERE e.kind IS NOT NULL AND e.occurred_at <= e.as_of AND (p.bundle_id IS NULL OR e.bundle_id = p.bundle_id)
) dated;
