-- Rules §4 and §5: the rule that decides. The first condition that matches wins.
CREATE VIEW rule_decision AS
SELECT
  f.*,
  CASE
    WHEN is_upgraded = 0 AND revoked_at <= as_of THEN 'revoked'
    WHEN is_upgraded = 1 AND superseded_at <= as_of THEN 'superseded'
    WHEN as_of < expires_at THEN 'covered'
    WHEN grace_period_expires_at > as_of THEN 'grace'
    WHEN is_in_billing_retry_period = 1 AND as_of < expires_at + (SELECT billing_retry_duration FROM rule_constant)
      THEN 'retry'
    WHEN is_in_billing_retry_period = 1 THEN 'retry_exhausted'
    WHEN has_later_evidence = 1 AND implies_renewal = 0 AND is_incomplete = 0 THEN 'lapsed'
    ELSE 'unconfirmed'
  END AS rule
FROM rule_fact f;
