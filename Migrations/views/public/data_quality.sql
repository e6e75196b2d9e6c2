-- What the ledger does not know of its subscription lines: how many lines each gap is about, of how many.
--
-- no_price: the running or last period has no known price (and somebody paid for it). no_renewal_info: nothing was
-- said of renewal by as_of. unconfirmed: a period has ended, and nothing was heard since. no_evidence_in_35_days:
-- access or a billing retry goes on, and nothing was heard for longer than a month (35 days: 3024000000 ms).
CREATE VIEW data_quality AS
SELECT
  e.environment, g.gap,
  SUM(
    CASE g.gap
      WHEN 'no_price'
        THEN CASE
          WHEN s.in_app_ownership_type IN ('FAMILY_SHARED', 'ASSIGNED') THEN 0
          WHEN s.price_milliunits IS NULL THEN 1
          ELSE 0
        END
      WHEN 'no_renewal_info' THEN CASE WHEN e.will_renew IS NULL THEN 1 ELSE 0 END
      WHEN 'unconfirmed' THEN CASE WHEN e.confirmed = 0 THEN 1 ELSE 0 END
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
  UNION ALL SELECT 'no_evidence_in_35_days'
) g
GROUP BY e.environment, g.gap, e.as_of, e.known_at;
