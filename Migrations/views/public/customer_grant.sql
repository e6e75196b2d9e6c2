-- The access that the app's staff granted, as of an instant. In state not_begun, the grant counts from begins_at on. No
-- metric of the App Store reads this view, because Apple knows nothing of grants.
CREATE VIEW customer_grant AS
SELECT
  c.customer, g.entitlement,
  CASE
    WHEN r.revoked_at IS NOT NULL THEN 'revoked'
    WHEN g.begins_at > q.as_of THEN 'not_begun'
    WHEN g.ends_at <= q.as_of THEN 'expired'
    ELSE 'active'
  END AS state,
  CASE
    WHEN r.revoked_at IS NULL AND g.begins_at <= q.as_of AND (g.ends_at IS NULL OR g.ends_at > q.as_of) THEN 1
    ELSE 0
  END AS has_access,
  CASE
    WHEN r.revoked_at IS NOT NULL AND (g.ends_at IS NULL OR r.revoked_at < g.ends_at) THEN r.revoked_at
    ELSE g.ends_at
  END AS access_ends_at,
  CASE
    WHEN r.revoked_at IS NOT NULL THEN 'grant_revoked'
    WHEN g.ends_at <= q.as_of THEN 'grant_ended'
    ELSE 'granted'
  END AS rule,
  g.begins_at, g.ends_at, r.revoked_at, g.reason, g.author, g.entered_at, q.as_of, q.known_at, g.grant_id
FROM param_query q
CROSS JOIN access_grant g
JOIN customer c ON c.customer_key = g.customer_key
LEFT JOIN (
  SELECT a.as_of, a.known_at, w.grant_id, MIN(w.revoked_at) AS revoked_at
  FROM param_query a CROSS JOIN access_grant_revocation w
  WHERE w.revoked_at <= a.as_of AND w.entered_at <= a.known_at
  GROUP BY a.as_of, a.known_at, w.grant_id
) r ON r.as_of = q.as_of AND r.known_at = q.known_at AND r.grant_id = g.grant_id
WHERE g.entered_at <= q.known_at;
