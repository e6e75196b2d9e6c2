-- The measures that each metric consists of. part `of` is the amount that a share is a share of. kind is flow (in a
-- period), balance (at its end) or opening (at its beginning). factor multiplies the measure.
CREATE VIEW metric_measure AS
SELECT 'active_subscriptions' AS metric, 'amount' AS part, 'active_subscriptions' AS measure, 'balance' AS kind,
  1 AS factor
UNION ALL SELECT 'active_trials', 'amount', 'active_trials', 'balance', 1
UNION ALL SELECT 'auto_renew_off', 'amount', 'auto_renew_off', 'balance', 1
UNION ALL SELECT 'auto_renew_off', 'of', 'active_subscriptions', 'balance', 1
UNION ALL SELECT 'in_grace', 'amount', 'in_grace', 'balance', 1
UNION ALL SELECT 'in_billing_retry', 'amount', 'in_billing_retry', 'balance', 1
UNION ALL SELECT 'family_members', 'amount', 'family_members', 'balance', 1
UNION ALL SELECT 'seats', 'amount', 'seats', 'balance', 1
UNION ALL SELECT 'mrr', 'amount', 'recurring', 'balance', 1
UNION ALL SELECT 'arr', 'amount', 'recurring', 'balance', 12
UNION ALL SELECT 'active_unpriced', 'amount', 'active_unpriced', 'balance', 1
UNION ALL SELECT 'active_movement', 'amount', 'new_paid', 'flow', 1
UNION ALL SELECT 'active_movement', 'amount', 'resubscribed', 'flow', 1
UNION ALL SELECT 'active_movement', 'amount', 'churned', 'flow', -1
UNION ALL SELECT 'new_paid', 'amount', 'new_paid', 'flow', 1
UNION ALL SELECT 'resubscribed', 'amount', 'resubscribed', 'flow', 1
UNION ALL SELECT 'churned', 'amount', 'churned', 'flow', 1
UNION ALL SELECT 'switched_in', 'amount', 'switched_in', 'flow', 1
UNION ALL SELECT 'switched_out', 'amount', 'switched_out', 'flow', 1
UNION ALL SELECT 'churn_rate', 'amount', 'churned', 'flow', 1
UNION ALL SELECT 'churn_rate', 'amount', 'resubscribed', 'flow', -1
UNION ALL SELECT 'churn_rate', 'of', 'active_subscriptions', 'opening', 1
UNION ALL SELECT 'revenue_gross', 'amount', 'revenue_gross', 'flow', 1
UNION ALL SELECT 'revenue_refunded', 'amount', 'revenue_refunded', 'flow', 1
UNION ALL SELECT 'revenue', 'amount', 'revenue_gross', 'flow', 1
UNION ALL SELECT 'revenue', 'amount', 'revenue_refunded', 'flow', -1
UNION ALL SELECT 'refunds', 'amount', 'refunds', 'flow', 1
UNION ALL SELECT 'refunds_paid', 'amount', 'refunds_paid', 'flow', 1
UNION ALL SELECT 'refund_rate', 'amount', 'transactions_refunded', 'flow', 1
UNION ALL SELECT 'refund_rate', 'of', 'transactions_paid', 'flow', 1
UNION ALL SELECT 'refund_rate_by_amount', 'amount', 'revenue_refunded', 'flow', 1
UNION ALL SELECT 'refund_rate_by_amount', 'of', 'revenue_gross', 'flow', 1
UNION ALL SELECT 'refund_requests', 'amount', 'refund_requests', 'flow', 1
UNION ALL SELECT 'transactions_paid', 'amount', 'transactions_paid', 'flow', 1
UNION ALL SELECT 'transactions_unpriced', 'amount', 'transactions_unpriced', 'flow', 1
UNION ALL SELECT 'trial_starts', 'amount', 'trials_started', 'flow', 1
UNION ALL SELECT 'trial_conversion', 'amount', 'trials_converted', 'flow', 1
UNION ALL SELECT 'trial_conversion', 'of', 'trials_started', 'flow', 1
UNION ALL SELECT 'offers_redeemed', 'amount', 'offers_redeemed', 'flow', 1
UNION ALL SELECT 'grace_entered', 'amount', 'grace_entered', 'flow', 1
UNION ALL SELECT 'grace_recovery', 'amount', 'grace_recovered', 'flow', 1
UNION ALL SELECT 'grace_recovery', 'of', 'grace_recovered', 'flow', 1
UNION ALL SELECT 'grace_recovery', 'of', 'grace_lost', 'flow', 1
UNION ALL SELECT 'retry_entered', 'amount', 'retry_entered', 'flow', 1
UNION ALL SELECT 'retry_recovery', 'amount', 'retry_recovered', 'flow', 1
UNION ALL SELECT 'retry_recovery', 'of', 'retry_recovered', 'flow', 1
UNION ALL SELECT 'retry_recovery', 'of', 'retry_lost', 'flow', 1
UNION ALL SELECT 'recovery_days', 'amount', 'grace_recovered', 'flow', 1
UNION ALL SELECT 'recovery_days', 'amount', 'retry_recovered', 'flow', 1
UNION ALL SELECT 'price_consent', 'amount', 'price_consent', 'flow', 1
UNION ALL SELECT 'retention', 'amount', 'retained', 'flow', 1
UNION ALL SELECT 'retention', 'of', 'due', 'flow', 1
UNION ALL SELECT 'retention_unbroken', 'of', 'due_unbroken', 'flow', 1
UNION ALL SELECT 'retention_unbroken', 'amount', 'retained_unbroken', 'flow', 1;
