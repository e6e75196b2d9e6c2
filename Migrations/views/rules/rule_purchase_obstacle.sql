-- What stands against a purchase of a product by a customer at as_of. Without a row, the customer may start it.
--
-- reason:
--   in_flight, paid_unfinished, waiting_for_approval  an attempt has this state, and nothing has ended it
--   paid_not_verified  an attempt was finished on the device, and its payment is not in the evidence
--   paid_not_theirs    the app reported a payment that gives access now, and it is not linked to the customer
--   already_entitled   the product is theirs, and gives access now
--
-- ends_at is when the obstacle ends by itself (NULL: it does not). An attempt stands in the way for the patience of
-- param_clearance, and a request for approval until the App Store deletes it. What is in the evidence stands in
-- nobody's way. So nobody is locked out forever.
--
-- environment is NULL for attempts, because a device does not report it.
-- @integer begins_at, ends_at
CREATE VIEW rule_purchase_obstacle AS
WITH attempt AS (SELECT * FROM purchase_attempt),
-- The names that reports may use for a customer: the customer's own id, and every id in a staff entry about them.
called AS (
  SELECT as_of, known_at, customer AS name, customer FROM attempt WHERE customer IS NOT NULL
  UNION
  SELECT as_of, known_at, app_account_token, app_account_token FROM attempt WHERE app_account_token IS NOT NULL
  UNION
  SELECT q.as_of, q.known_at, e.identifier, c.customer
  FROM param_query q
  CROSS JOIN customer_link_entry e
  JOIN customer c ON c.customer_key = e.customer_key
  WHERE e.entered_at <= q.known_at
),
mine AS (
  SELECT n.customer AS claimant, a.*
  FROM attempt a
  JOIN called n ON n.as_of = a.as_of AND n.known_at = a.known_at AND n.name = a.customer
  UNION
  SELECT n.customer, a.*
  FROM attempt a
  JOIN called n ON n.as_of = a.as_of AND n.known_at = a.known_at AND n.name = a.app_account_token
)
SELECT
  customer, product_id, environment, reason, begins_at, ends_at, transaction_id, will_renew, as_of, known_at
FROM (
  SELECT
    a.claimant AS customer, a.product_id, CAST(NULL AS VARCHAR(64)) AS environment, a.state AS reason,
    a.state_since AS begins_at,
    a.state_since + CASE a.state WHEN 'waiting_for_approval' THEN k.approval_duration ELSE p.patience END AS ends_at,
    a.transaction_id, CAST(NULL AS BIGINT) AS will_renew, a.as_of, a.known_at
  FROM mine a
  CROSS JOIN param_clearance p
  CROSS JOIN rule_constant k
  WHERE a.is_open = 1 AND a.kind <> 'restore'
  UNION ALL
  SELECT
    a.claimant, a.product_id, NULL, 'paid_not_verified', a.paid_at, a.paid_at + p.patience, a.transaction_id, NULL,
    a.as_of, a.known_at
  FROM mine a
  CROSS JOIN param_clearance p
  WHERE a.is_open = 0 AND a.finding = 'paid_never_verified' AND a.kind <> 'restore'
  UNION ALL
  SELECT
    a.claimant, e.product_id, e.environment, 'paid_not_theirs', a.paid_at, e.access_ends_at, a.transaction_id,
    e.will_renew, a.as_of, a.known_at
  FROM mine a
  JOIN stg_transaction t ON t.transaction_id = a.transaction_id
  JOIN entitlement e
    ON e.as_of = a.as_of AND e.known_at = a.known_at AND e.original_transaction_key = t.original_transaction_key
  WHERE a.is_theirs = 0 AND a.is_in_evidence = 1 AND e.has_access = 1
  UNION ALL
  SELECT
    c.customer, e.product_id, e.environment, 'already_entitled', e.purchase_at, e.access_ends_at, e.transaction_id,
    e.will_renew, c.as_of, c.known_at
  FROM customer_original_transaction c
  JOIN entitlement e
    ON e.as_of = c.as_of AND e.known_at = c.known_at AND e.original_transaction_key = c.original_transaction_key
  WHERE e.has_access = 1
  UNION ALL
  SELECT
    c.customer, o.product_id, o.environment, 'already_entitled', o.purchase_at, o.access_ends_at, o.transaction_id,
    NULL, c.as_of, c.known_at
  FROM customer_original_transaction c
  JOIN one_time_purchase o
    ON o.as_of = c.as_of AND o.known_at = c.known_at AND o.original_transaction_key = c.original_transaction_key
  WHERE o.has_access = 1
) obstacle
WHERE ends_at IS NULL OR ends_at > as_of;
