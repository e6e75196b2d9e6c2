-- The phases of each subscription that metrics count. Each phase has the dimensions of its transaction, and values of
-- the phases before and after it.
--
-- kind is what the subscription's holder has:
--   paid    access that the holder paid for, in a grace period too
--           also a free period that began before the paid access ended
--   trial   access in a free period that does not follow paid access
--   family, assigned  access that somebody else pays for
--   NULL    no access
--
-- Renewals that change nothing that metrics count are one phase. Grace periods and billing retries stay apart, because
-- metrics count the days after the end of their period.
--
-- Where several transactions cover the period, the price is what was paid for the valid ones, less the refunds of seats,
-- and purchase_at is that of the first one.
-- @integer next_will_renew, paid_before, priced_days, was_free
CREATE VIEW int_subscription_phase AS
WITH paid AS (SELECT * FROM transaction_current),
seat_price AS (
  SELECT
    p.as_of, i.known_at, i.original_transaction_key, i.decides_at, i.succeeded_at, MIN(i.purchase_at) AS purchase_at,
    CASE
      WHEN COUNT(CASE WHEN i.has_ended = 0 AND p.price_milliunits IS NULL THEN 1 END) = 0
      THEN SUM(
        CASE
          WHEN i.has_ended = 1 THEN 0
          WHEN i.share_numerator IS NULL THEN p.price_milliunits
          ELSE p.price_milliunits - p.price_milliunits / i.share_denominator * i.share_numerator
            - (p.price_milliunits % i.share_denominator * i.share_numerator + i.share_denominator / 2)
            / i.share_denominator
        END
      )
    END AS price_milliunits
  FROM int_seat_standing i
  JOIN paid p
    ON p.known_at = i.known_at AND p.original_transaction_key = i.original_transaction_key
    AND p.transaction_key = i.transaction_key
  GROUP BY p.as_of, i.known_at, i.original_transaction_key, i.decides_at, i.succeeded_at
),
span AS (
  SELECT
    t.as_of, s.known_at, s.original_transaction_key, s.begins_at, s.environment, t.bundle_id, s.product_id,
    t.storefront AS country, t.currency, t.offer_type, t.offer_identifier,
    CASE WHEN g.decides_at IS NULL THEN t.price_milliunits ELSE g.price_milliunits END AS price_milliunits,
    t.in_app_ownership_type, t.is_paid_by_owner, t.is_free, t.offer_discount_type, t.offer_period,
    t.billing_plan_type, COALESCE(g.purchase_at, s.purchase_at) AS purchase_at, s.expires_at, s.state, s.rule,
    s.has_access, s.will_renew, s.expiration_reason, s.version_id, s.seats,
    CASE
      WHEN CASE WHEN g.decides_at IS NULL THEN t.price_milliunits ELSE g.price_milliunits END > 0
      THEN (s.expires_at - COALESCE(g.purchase_at, s.purchase_at) + 43200000) / 86400000
      ELSE 0
    END AS priced_days
  FROM state_history s
  JOIN paid t
    ON t.known_at = s.known_at AND t.original_transaction_key = s.original_transaction_key
    AND t.transaction_key = s.transaction_key
  LEFT JOIN seat_price g
    ON g.as_of = t.as_of AND g.known_at = s.known_at AND g.original_transaction_key = s.original_transaction_key
    AND g.decides_at <= s.begins_at AND (g.succeeded_at IS NULL OR g.succeeded_at > s.begins_at)
)
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
      WHEN in_app_ownership_type = 'ASSIGNED' THEN 'assigned'
      WHEN is_free = 0 THEN 'paid'
      WHEN MAX(CASE WHEN has_access = 1 AND is_free = 0 THEN begins_at END) OVER history
        > COALESCE(MAX(CASE WHEN has_access = 0 THEN begins_at END) OVER history, 0)
      THEN 'paid'
      ELSE 'trial'
    END AS kind
  FROM (
    SELECT s.*
    FROM (
      SELECT
        as_of, known_at, original_transaction_key, begins_at,
        LAG(begins_at) OVER (PARTITION BY as_of, known_at, original_transaction_key ORDER BY begins_at) AS previous_at
      FROM span
    ) x
    JOIN span s
      ON s.as_of = x.as_of AND s.known_at = x.known_at AND s.original_transaction_key = x.original_transaction_key
      AND s.begins_at = x.begins_at
    -- The span before, if it is the same for metrics.
    LEFT JOIN span p
      ON p.as_of = x.as_of AND p.known_at = x.known_at AND p.original_transaction_key = x.original_transaction_key
      AND p.begins_at = x.previous_at
      AND p.state = s.state
      AND p.rule = s.rule
      AND COALESCE(p.will_renew, 2) = COALESCE(s.will_renew, 2)
      AND COALESCE(p.expiration_reason, '') = COALESCE(s.expiration_reason, '')
      AND COALESCE(p.seats, -1) = COALESCE(s.seats, -1)
      AND COALESCE(p.price_milliunits, -1) = COALESCE(s.price_milliunits, -1)
      AND (
        p.version_id = s.version_id
        OR s.state = 'active'
        AND COALESCE(p.product_id, '') = COALESCE(s.product_id, '')
        AND p.priced_days = s.priced_days
        AND p.is_free = s.is_free
        AND COALESCE(p.bundle_id, '') = COALESCE(s.bundle_id, '')
        AND COALESCE(p.country, '') = COALESCE(s.country, '')
        AND COALESCE(p.currency, '') = COALESCE(s.currency, '')
        AND COALESCE(p.offer_type, 0) = COALESCE(s.offer_type, 0)
        AND COALESCE(p.offer_identifier, '') = COALESCE(s.offer_identifier, '')
        AND COALESCE(p.in_app_ownership_type, '') = COALESCE(s.in_app_ownership_type, '')
        AND COALESCE(p.offer_discount_type, '') = COALESCE(s.offer_discount_type, '')
        AND COALESCE(p.offer_period, '') = COALESCE(s.offer_period, '')
        AND COALESCE(p.billing_plan_type, '') = COALESCE(s.billing_plan_type, '')
      )
    WHERE p.begins_at IS NULL
  ) c
  WINDOW history AS (PARTITION BY as_of, known_at, original_transaction_key ORDER BY begins_at)
) k
WINDOW history AS (PARTITION BY as_of, known_at, original_transaction_key ORDER BY begins_at);
