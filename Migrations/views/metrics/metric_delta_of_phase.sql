-- The metric deltas of subscription phases. A balance gets 1 where a phase begins and -1 where it ends. So the sum up
-- to an instant is the number of phases at that instant. Other measures get one delta at the instant of the event.
-- `subledger report list` describes the metrics.
--
-- Auto-renew may be off when a grace period ends. The state is then billing_retry until Apple states the expiry,
-- moments later. Apple retries no payment in that time, so no retry begins.
CREATE VIEW metric_delta_of_phase AS
SELECT
  s.as_of, s.known_at, s.original_transaction_key, m.measure, s.environment, s.bundle_id,
  s.product_id, s.country, CASE WHEN m.measure IN ('recurring', 'active_unpriced') THEN s.currency END AS currency,
  s.offer_type, s.offer_identifier,
  CASE m.measure
    WHEN 'new_paid'
      THEN CASE WHEN s.previous_kind = 'trial' OR s.was_free = 1 THEN 'trial_conversion'
        WHEN s.offer_type IS NOT NULL THEN 'paid_offer' ELSE 'direct' END
    WHEN 'resubscribed' THEN CASE WHEN s.previous_state = 'billing_retry' THEN 'billing_recovery' ELSE 'returned' END
    WHEN 'churned'
      THEN CASE
        WHEN s.next_state = 'revoked' THEN 'refunded'
        WHEN s.next_state = 'billing_retry' AND s.next_will_renew = 0 THEN 'customer_cancelled'
        WHEN s.next_state = 'billing_retry' THEN 'billing_error'
        WHEN s.next_rule = 'lapsed' THEN COALESCE(s.next_expiration_reason, 'unknown')
        WHEN s.next_kind = 'trial' THEN 'free_period'
        ELSE s.next_rule
      END
    WHEN 'retry_lost' THEN COALESCE(s.next_expiration_reason, s.next_state)
    WHEN 'grace_lost' THEN COALESCE(s.next_expiration_reason, s.next_state)
    WHEN 'price_consent' THEN 'refused'
  END AS reason,
  CASE WHEN m.measure IN ('grace_recovered', 'retry_recovered') THEN (s.ends_at - s.expires_at) / 86400000 END AS step,
  CASE
    WHEN m.measure <> 'recurring' THEN NULL
    WHEN s.billing_plan_type = 'MONTHLY' THEN 1
    WHEN s.offer_discount_type = 'PAY_UP_FRONT'
      THEN CASE s.offer_period
        WHEN 'P1M' THEN 1 WHEN 'P2M' THEN 2 WHEN 'P3M' THEN 3 WHEN 'P6M' THEN 6 WHEN 'P1Y' THEN 12
      END
  END AS own_months,
  CASE
    WHEN m.measure <> 'recurring' THEN NULL
    WHEN s.billing_plan_type = 'MONTHLY' THEN NULL
    WHEN s.offer_discount_type = 'PAY_UP_FRONT'
      THEN CASE s.offer_period WHEN 'P3D' THEN 3 WHEN 'P1W' THEN 7 WHEN 'P2W' THEN 14 END
  END AS own_days,
  CASE WHEN m.measure = 'recurring' THEN (s.expires_at - s.purchase_at + 43200000) / 86400000 END AS stated_days,
  CASE WHEN m.edge = 1 THEN s.begins_at ELSE s.ends_at END
    - CASE WHEN m.edge = 1 THEN s.begins_at ELSE s.ends_at END % 86400000 AS day_at,
  CASE WHEN m.edge = 1 THEN s.begins_at ELSE s.ends_at END AS effective_at,
  CASE
    WHEN m.measure = 'recurring' THEN m.edge * s.price_milliunits
    WHEN m.measure = 'further_seats' THEN m.edge * (COALESCE(s.seats, 0) - 1)
    WHEN m.is_balance = 1 THEN m.edge
    ELSE 1
  END AS amount
FROM int_subscription_phase s
CROSS JOIN (
  SELECT b.measure, e.edge, 1 AS is_balance
  FROM (
    SELECT 'active_subscriptions' AS measure UNION ALL SELECT 'recurring' UNION ALL SELECT 'active_unpriced'
    UNION ALL SELECT 'auto_renew_off' UNION ALL SELECT 'in_grace' UNION ALL SELECT 'active_trials'
    UNION ALL SELECT 'in_billing_retry' UNION ALL SELECT 'family_members'
    UNION ALL SELECT 'assigned_members' UNION ALL SELECT 'further_seats'
  ) b
  CROSS JOIN (SELECT 1 AS edge UNION ALL SELECT -1) e
  UNION ALL SELECT 'new_paid', 1, 0 UNION ALL SELECT 'resubscribed', 1, 0 UNION ALL SELECT 'switched_in', 1, 0
  UNION ALL SELECT 'churned', -1, 0 UNION ALL SELECT 'switched_out', -1, 0 UNION ALL SELECT 'price_consent', -1, 0
  UNION ALL SELECT 'grace_entered', 1, 0 UNION ALL SELECT 'grace_recovered', -1, 0 UNION ALL SELECT 'grace_lost', -1, 0
  UNION ALL SELECT 'retry_entered', 1, 0 UNION ALL SELECT 'retry_recovered', -1, 0 UNION ALL SELECT 'retry_lost', -1, 0
) m
WHERE (m.edge = 1 OR s.ends_at IS NOT NULL)
  AND CASE
    WHEN m.measure = 'family_members' THEN s.kind = 'family'
    WHEN m.measure = 'assigned_members' THEN s.kind = 'assigned'
    WHEN s.is_paid_by_owner = 0 THEN 1 = 0
    WHEN m.measure = 'active_subscriptions' THEN s.kind = 'paid'
    WHEN m.measure = 'recurring' THEN s.kind = 'paid' AND s.price_milliunits > 0
    WHEN m.measure = 'active_unpriced' THEN s.kind = 'paid' AND s.price_milliunits IS NULL
    WHEN m.measure = 'auto_renew_off' THEN s.kind = 'paid' AND s.will_renew = 0
    WHEN m.measure = 'in_grace' THEN s.kind = 'paid' AND s.state = 'grace_period'
    WHEN m.measure = 'active_trials' THEN s.kind = 'trial'
    -- The seats beside the one that active_subscriptions and active_trials count.
    WHEN m.measure = 'further_seats' THEN s.kind IN ('paid', 'trial') AND COALESCE(s.seats, 0) <> 1
    WHEN m.measure = 'in_billing_retry' THEN s.state = 'billing_retry'
    WHEN m.measure = 'new_paid' THEN s.kind = 'paid' AND s.paid_before = 0
    WHEN m.measure = 'resubscribed'
      THEN s.kind = 'paid' AND s.paid_before > 0 AND COALESCE(s.previous_kind, '') <> 'paid'
    WHEN m.measure = 'churned' THEN s.kind = 'paid' AND COALESCE(s.next_kind, '') <> 'paid'
    WHEN m.measure = 'switched_in'
      THEN s.kind = 'paid' AND s.previous_kind = 'paid' AND s.previous_product_id <> s.product_id
    WHEN m.measure = 'switched_out'
      THEN s.kind = 'paid' AND s.next_kind = 'paid' AND s.next_phase_product_id <> s.product_id
    WHEN m.measure = 'price_consent'
      THEN s.has_access = 1 AND s.next_state = 'expired' AND s.next_expiration_reason = 'price_increase_not_accepted'
    WHEN m.measure = 'grace_entered'
      THEN s.state = 'grace_period' AND COALESCE(s.previous_state, '') <> 'grace_period'
    WHEN m.measure = 'grace_recovered' THEN s.state = 'grace_period' AND s.next_state = 'active'
    WHEN m.measure = 'grace_lost' THEN s.state = 'grace_period' AND s.next_state NOT IN ('active', 'grace_period')
    WHEN m.measure = 'retry_entered'
      THEN s.state = 'billing_retry' AND COALESCE(s.previous_state, '') <> 'billing_retry'
        AND COALESCE(s.will_renew, 1) = 1
    WHEN m.measure = 'retry_recovered' THEN s.state = 'billing_retry' AND s.next_state = 'active'
    WHEN m.measure = 'retry_lost'
      THEN s.state = 'billing_retry' AND s.next_state NOT IN ('active', 'billing_retry')
        AND (s.previous_state = 'billing_retry' OR COALESCE(s.will_renew, 1) = 1)
  END;
