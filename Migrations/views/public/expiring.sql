-- The number of subscriptions with access, by the calendar month (UTC) in which it ends, and by will_renew.
--
-- will_renew: 1 yes, 0 no, NULL not known.
CREATE VIEW expiring AS
SELECT
  e.environment, m.starts_at AS month_begins_at, e.product_id, e.will_renew, COUNT(*) AS subscription_count, e.as_of,
  e.known_at
FROM entitlement_state e
JOIN calendar_month m
  ON m.starts_at <= e.access_ends_at AND m.ends_at > e.access_ends_at
  AND m.starts_at > e.access_ends_at - (SELECT month_limit FROM rule_constant)
WHERE e.has_access = 1
GROUP BY e.environment, m.starts_at, e.product_id, e.will_renew, e.as_of, e.known_at;
