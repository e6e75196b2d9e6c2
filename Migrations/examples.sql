-- Example queries for every ledger, in SQLite's dialect. `subledger schema --format datasette` gives them to Datasette.
-- Each one begins with its name, its title and its description. A parameter (:such) may be empty. An empty environment
-- means Production. Money is in whole units of its currency. Dates are UTC.

-- access_by_state: Who has access
-- The number of subscriptions in each state now. The period of an unconfirmed one has ended, and a renewal may be
-- missing from the ledger.
SELECT state, COUNT(*) AS subscriptions, SUM(has_access) AS with_access, SUM(1 - confirmed) AS unconfirmed
FROM entitlement_state
WHERE environment = COALESCE(NULLIF(:environment, ''), 'Production')
GROUP BY state
ORDER BY subscriptions DESC;

-- one_person: One person's purchases
-- The subscriptions that an id leads to, with the entitlements that each one grants. The id may be a customer's own id,
-- an account token, a transaction id, a web order line item id or an order id. Several customers may claim one
-- subscription: customer_original_transaction lists them.
WITH found AS (
  SELECT original_transaction_key FROM int_identifier WHERE identifier = :id
  UNION SELECT original_transaction_key FROM int_customer_candidate WHERE customer = :id
)
SELECT
  e.environment, e.original_transaction_id, e.product_id, e.state, e.has_access,
  strftime('%Y-%m-%d %H:%M', e.access_ends_at / 1000, 'unixepoch') AS access_ends, e.confirmed, e.will_renew, e.rule,
  (
    SELECT group_concat(g.entitlement, ' ')
    FROM product_entitlement g JOIN int_catalogue_app a ON a.bundle_id = g.bundle_id
    WHERE g.product_id = e.product_id AND a.named = COALESCE(e.bundle_id, '')
  ) AS grants
FROM entitlement e
WHERE e.original_transaction_key IN (SELECT original_transaction_key FROM found)
ORDER BY e.purchase_at DESC;

-- one_subscription: The periods of one subscription
-- The purchase and the renewals of an original transaction id, with prices where Apple states them. (The query reads a
-- step of transaction_current, because transaction_current would first look for copies in every subscription.)
SELECT
  strftime('%Y-%m-%d %H:%M', t.purchase_at / 1000, 'unixepoch') AS begins,
  strftime('%Y-%m-%d %H:%M', t.expires_at / 1000, 'unixepoch') AS ends, s.product_id, s.transaction_reason,
  s.price_milliunits / 1000.0 AS price, s.currency, s.offer_type, s.is_trial_period,
  strftime('%Y-%m-%d %H:%M', t.revoked_at / 1000, 'unixepoch') AS revoked, t.is_upgraded, n.transaction_id
FROM int_current_transaction_version t
JOIN stg_transaction n ON n.transaction_key = t.transaction_key
JOIN transaction_version v ON v.version_id = t.version_id
JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
WHERE t.original_transaction_key IN (SELECT original_transaction_key FROM original_transaction WHERE
  original_transaction_id = :original_transaction_id)
ORDER BY t.purchase_at DESC;

-- one_subscription_notifications: The notifications about one subscription
-- Apple's notifications about an original transaction id. The latest one comes first.
SELECT
  strftime('%Y-%m-%d %H:%M', evidence_at / 1000, 'unixepoch') AS stated,
  strftime('%Y-%m-%d %H:%M', recorded_at / 1000, 'unixepoch') AS recorded, notification_type, subtype, payload_id
FROM int_notification
WHERE original_transaction_key IN (SELECT original_transaction_key FROM original_transaction WHERE
  original_transaction_id = :original_transaction_id)
ORDER BY evidence_at DESC;

-- renewals_by_month: Renewals by month
-- The first periods of subscriptions, and the later ones. Apple renewed a later period, or the customer bought it
-- (by_hand). A receipt does not state which: in_receipts counts these periods.
SELECT
  strftime('%Y-%m', purchase_at / 1000, 'unixepoch') AS month,
  SUM(CASE WHEN purchase_at <= original_purchase_at THEN 1 ELSE 0 END) AS first_periods,
  SUM(CASE WHEN purchase_at > original_purchase_at AND transaction_reason = 'RENEWAL' THEN 1 ELSE 0 END) AS renewed,
  SUM(CASE WHEN purchase_at > original_purchase_at AND transaction_reason = 'PURCHASE' THEN 1 ELSE 0 END) AS by_hand,
  SUM(CASE WHEN purchase_at > original_purchase_at AND transaction_reason IS NULL THEN 1 ELSE 0 END) AS in_receipts
FROM transaction_current
WHERE environment = COALESCE(NULLIF(:environment, ''), 'Production') AND is_counted = 1
  AND expires_at IS NOT NULL AND COALESCE(in_app_ownership_type, 'PURCHASED') = 'PURCHASED'
GROUP BY month
ORDER BY month DESC;

-- revenue_by_month: Revenue by month and currency
-- The prices that customers paid, by the month of the purchase, less later refunds of these purchases. A receipt states
-- no price: without_price counts the purchases that are missing from the sums.
SELECT
  strftime('%Y-%m', purchase_at / 1000, 'unixepoch') AS month, currency,
  ROUND(SUM(price_milliunits) / 1000.0, 2) AS gross,
  ROUND(COALESCE(SUM(refunded_milliunits), 0) / 1000.0, 2) AS refunded,
  ROUND((SUM(price_milliunits) - COALESCE(SUM(refunded_milliunits), 0)) / 1000.0, 2) AS net,
  SUM(CASE WHEN price_milliunits > 0 THEN 1 ELSE 0 END) AS paid,
  SUM(CASE WHEN price_milliunits IS NULL THEN 1 ELSE 0 END) AS without_price
FROM transaction_current
WHERE environment = COALESCE(NULLIF(:environment, ''), 'Production') AND is_counted = 1
  AND COALESCE(in_app_ownership_type, 'PURCHASED') = 'PURCHASED'
GROUP BY month, currency
ORDER BY month DESC, currency;

-- refund_requests: Refund requests
-- The refunds that customers requested from Apple, and the outcome of each request. Open requests come first.
SELECT
  strftime('%Y-%m-%d %H:%M', requested_at / 1000, 'unixepoch') AS requested, COALESCE(outcome, 'open') AS outcome,
  strftime('%Y-%m-%d %H:%M', answered_at / 1000, 'unixepoch') AS answered, reason, original_transaction_id,
  transaction_id
FROM refund_request
WHERE environment = COALESCE(NULLIF(:environment, ''), 'Production')
ORDER BY CASE WHEN outcome IS NULL THEN 0 ELSE 1 END, requested_at DESC;

-- payments_failing: Payments that fail now
-- The subscriptions in a grace period or in billing retry. Their customers may need another payment method.
SELECT
  state, original_transaction_id, product_id, app_account_token,
  strftime('%Y-%m-%d', expires_at / 1000, 'unixepoch') AS paid_until,
  strftime('%Y-%m-%d', access_ends_at / 1000, 'unixepoch') AS access_ends
FROM entitlement
WHERE environment = COALESCE(NULLIF(:environment, ''), 'Production') AND state IN ('grace_period', 'billing_retry')
ORDER BY access_ends_at;

-- ending_soon: Ending soon
-- The subscriptions that are active now, will not renew, and end within :days days (30 if empty).
SELECT
  strftime('%Y-%m-%d %H:%M', access_ends_at / 1000, 'unixepoch') AS access_ends, original_transaction_id, product_id,
  is_trial_period, app_account_token
FROM entitlement
WHERE environment = COALESCE(NULLIF(:environment, ''), 'Production') AND state = 'active' AND will_renew = 0
  AND access_ends_at < as_of + COALESCE(NULLIF(:days, ''), 30) * 86400000
ORDER BY access_ends_at;

-- unconfirmed: Subscriptions to verify with Apple
-- The subscriptions whose period has ended and whose renewal may be missing from the ledger.
SELECT
  strftime('%Y-%m-%d %H:%M', access_ends_at / 1000, 'unixepoch') AS access_ended, original_transaction_id, product_id,
  rule, strftime('%Y-%m-%d %H:%M', evidence_at / 1000, 'unixepoch') AS last_evidence
FROM entitlement
WHERE environment = COALESCE(NULLIF(:environment, ''), 'Production') AND confirmed = 0
ORDER BY access_ends_at DESC;

-- disagreements: Disagreements with Apple's status
-- The statuses from Apple that differ from the derived state at their instant. None are expected.
SELECT
  environment, original_transaction_id, state, rule,
  CASE status
    WHEN 1 THEN 'active' WHEN 2 THEN 'expired' WHEN 3 THEN 'billing_retry' WHEN 4 THEN 'grace_period'
    WHEN 5 THEN 'revoked'
  END AS apple_status,
  strftime('%Y-%m-%d %H:%M', compared_at / 1000, 'unixepoch') AS compared,
  strftime('%Y-%m-%d %H:%M', evidence_at / 1000, 'unixepoch') AS stated
FROM rule_disagreement
ORDER BY compared_at DESC;

-- purchases_to_look_at: Purchases to check
-- The purchase attempts of the app that support should check. They were paid and never verified, belong to somebody
-- else, or failed.
SELECT
  strftime('%Y-%m-%d %H:%M', began_at / 1000, 'unixepoch') AS began, finding, customer, product_id, state,
  transaction_id, error_domain, error_code
FROM purchase_attempt
WHERE finding IS NOT NULL
ORDER BY began_at DESC;

-- not_used: Data that could not be used
-- The payloads in quarantine, and the unusable fields of recorded payloads, by reason.
SELECT 'quarantine' AS stored_in, reason AS what, COUNT(*) AS row_count
FROM quarantine
WHERE quarantine_id NOT IN (SELECT quarantine_id FROM quarantine_release)
GROUP BY reason
UNION ALL
SELECT 'problem', code, COUNT(*) FROM problem GROUP BY code
ORDER BY row_count DESC;
