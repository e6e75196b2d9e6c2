-- What the ledger does not know about its subscriptions. For each gap, a row has the number of subscriptions with it,
-- and the number of all subscriptions.
--
--   no_price                the price of the current or last period is not known, and the holder paid for it
--   no_renewal_info         no renewal info states by as_of whether auto-renew is on
--   unconfirmed             confirmed is 0 (rules §6)
--   incomplete_period       Apple states that several transactions cover the period, and the ledger has one (rules §3)
--   no_evidence_in_35_days  access or billing retry continues, and the last evidence is older than 35 days
--
-- 35 days (3024000000 ms) are longer than a month, so a monthly renewal would have brought evidence.
CREATE VIEW data_quality AS
SELECT
  e.environment, g.gap,
  SUM(
    CASE g.gap
      WHEN 'no_price'
        THEN CASE
          WHEN s.is_paid_by_owner = 0 THEN 0
          WHEN s.price_milliunits IS NULL THEN 1
          ELSE 0
        END
      WHEN 'no_renewal_info' THEN CASE WHEN e.will_renew IS NULL THEN 1 ELSE 0 END
      WHEN 'unconfirmed' THEN CASE WHEN e.confirmed = 0 THEN 1 ELSE 0 END
      WHEN 'incomplete_period'
        THEN CASE
          WHEN e.has_access = 1 AND e.seats IS NULL AND s.is_paid_by_owner = 1
            AND s.additional_transaction_reason IS NOT NULL THEN 1
          ELSE 0
        END
      ELSE CASE
        WHEN e.state IN ('active', 'grace_period', 'billing_retry') AND e.evidence_at < e.as_of - 3024000000 THEN 1
        ELSE 0
      END
    END
  ) AS subscription_count,
  COUNT(*) AS of_subscription_count, e.as_of, e.known_at
FROM entitlement_state e
JOIN transaction_current s
  ON s.as_of = e.as_of AND s.known_at = e.known_at AND s.original_transaction_key = e.original_transaction_key
  AND s.transaction_key = e.transaction_key
CROSS JOIN (
  SELECT 'no_price' AS gap UNION ALL SELECT 'no_renewal_info' UNION ALL SELECT 'unconfirmed'
  UNION ALL SELECT 'incomplete_period' UNION ALL SELECT 'no_evidence_in_35_days'
) g
GROUP BY e.environment, g.gap, e.as_of, e.known_at;
