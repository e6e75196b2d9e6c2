-- Every transaction that had begun, in its current version, with its typed fields. There is one row for each query and
-- transaction. Revocations and upgrades after as_of are not shown. A receipt omits some fields. They come from the last
-- signed version, else from another transaction id of the same web_order_line_item_id.
--
-- Money (rules §10):
--   price_milliunits     what was paid: for several seats, the total of the price tiers
--                        NULL when Apple stated no price, or the owner did not pay (family sharing, assigned seats)
--   refunded_share       the refunded share of the price, of 100000; NULL without a refund; an upgrade is not a refund
--   refunded_milliunits  that share of the price
--   is_refund_estimated  1 when Apple refunded seats and stated no share of the price
--   is_counted           1 for one transaction of each purchase; a restore repeats a web_order_line_item_id
--   is_paid_by_owner     0 for shared and assigned transactions
--   is_free              1 when the offer or the price makes the period free
CREATE VIEW transaction_current AS
WITH typed AS (
  SELECT
    t.environment, COALESCE(s.bundle_id, p.bundle_id) AS bundle_id, t.original_transaction_id, t.transaction_id,
    s.product_id, COALESCE(s.type, g.type) AS type, t.purchase_at, t.expires_at,
    CASE WHEN t.revoked_at <= t.as_of THEN t.revoked_at END AS revoked_at,
    CASE WHEN t.is_upgraded = 1 AND COALESCE(t.revoked_at, t.evidence_at) <= t.as_of THEN 1 ELSE 0 END AS is_upgraded,
    s.original_purchase_at,
    COALESCE(s.web_order_line_item_id, g.web_order_line_item_id) AS web_order_line_item_id,
    -- A transaction that names no order is an order of its own, and one that adds seats too.
    CASE
      WHEN x.additional_transaction_reason IS NOT NULL THEN t.transaction_key
      WHEN COALESCE(s.web_order_line_item_id, g.web_order_line_item_id) IS NULL THEN t.transaction_key
    END AS lone_transaction_key,
    COALESCE(s.subscription_group_identifier, g.subscription_group_identifier) AS subscription_group_identifier,
    COALESCE(s.in_app_ownership_type, g.in_app_ownership_type) AS in_app_ownership_type, s.quantity,
    COALESCE(s.transaction_reason, g.transaction_reason) AS transaction_reason, s.revocation_reason,
    COALESCE(s.revocation_type, g.revocation_type) AS revocation_type,
    COALESCE(s.revocation_percentage, g.revocation_percentage) AS revocation_percentage, s.is_trial_period,
    s.is_in_intro_offer_period, COALESCE(s.offer_type, g.offer_type) AS offer_type,
    COALESCE(s.offer_identifier, g.offer_identifier) AS offer_identifier,
    COALESCE(s.offer_discount_type, g.offer_discount_type) AS offer_discount_type,
    COALESCE(s.offer_period, g.offer_period) AS offer_period, COALESCE(s.storefront, g.storefront) AS storefront,
    COALESCE(s.currency, g.currency) AS currency,
    CASE
      WHEN COALESCE(s.in_app_ownership_type, g.in_app_ownership_type) IN ('FAMILY_SHARED', 'ASSIGNED') THEN 0
      ELSE 1
    END AS is_paid_by_owner,
    CASE
      WHEN t.expires_at IS NOT NULL AND (s.quantity > 1 OR s.quantity IS NULL AND x.transaction_info_id IS NOT NULL)
      THEN (
        SELECT SUM(r.price_milliunits * r.quantity)
        FROM transaction_price_tier r
        WHERE r.transaction_info_id = COALESCE(t.signed_info_id, v.transaction_info_id)
      )
      ELSE COALESCE(s.price_milliunits, g.price_milliunits)
    END AS price_milliunits,
    x.additional_transaction_reason, x.revoked_seat_quantity AS last_revoked_seats,
    (
      SELECT MAX(k.revoked_seat_quantity)
      FROM stg_transaction_version w
      JOIN transaction_seat_info k ON k.transaction_info_id = w.transaction_info_id
      WHERE x.revoked_seat_quantity > 0 AND w.original_transaction_key = t.original_transaction_key
        AND w.transaction_key = t.transaction_key AND w.recorded_at <= t.known_at AND w.evidence_at <= t.as_of
    ) AS revoked_seats,
    CASE WHEN t.revoked_at IS NULL AND t.is_upgraded = 0 THEN 1 ELSE 0 END AS is_unended,
    COALESCE(s.app_account_token, g.app_account_token) AS app_account_token,
    COALESCE(s.app_transaction_id, g.app_transaction_id) AS app_transaction_id,
    p.trust, t.evidence_at, t.as_of, t.known_at, t.original_transaction_key, t.transaction_key, t.version_id,
    COALESCE(s.billing_plan_type, g.billing_plan_type) AS billing_plan_type,
    COALESCE(s.commitment_billing_period_number, g.commitment_billing_period_number)
      AS commitment_billing_period_number,
    COALESCE(s.commitment_total_billing_periods, g.commitment_total_billing_periods)
      AS commitment_total_billing_periods
  FROM int_current_transaction_info t
  JOIN transaction_version v ON v.version_id = t.version_id
  JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
  JOIN stg_payload_trust p ON p.payload_id = v.payload_id
  LEFT JOIN transaction_info g ON g.transaction_info_id = t.signed_info_id
  LEFT JOIN transaction_seat_info x ON x.transaction_info_id = COALESCE(t.signed_info_id, v.transaction_info_id)
  WHERE t.purchase_at <= t.as_of
),
-- Each transaction with what the transactions of its order state together. The window names every column that tells
-- subscriptions apart, so that SQLite limits it to those in question.
ordered AS (
  SELECT
    t.*,
    MAX(price_milliunits) OVER same_order AS order_price_milliunits,
    MAX(currency) OVER same_order AS order_currency,
    MAX(storefront) OVER same_order AS order_storefront,
    MAX(offer_type) OVER same_order AS order_offer_type,
    MAX(offer_identifier) OVER same_order AS order_offer_identifier,
    MAX(offer_discount_type) OVER same_order AS order_offer_discount_type,
    MAX(offer_period) OVER same_order AS order_offer_period,
    FIRST_VALUE(transaction_key) OVER same_order AS first_transaction_key
  FROM typed t
  WINDOW same_order AS (
    PARTITION BY
      as_of, known_at, original_transaction_key, environment, original_transaction_id, web_order_line_item_id,
      lone_transaction_key
    -- With the order, one sort serves all columns.
    ORDER BY purchase_at, transaction_id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
  )
),
priced AS (
  SELECT
    o.*,
    CASE WHEN is_paid_by_owner = 1 THEN COALESCE(price_milliunits, order_price_milliunits) END AS paid_milliunits,
    CASE WHEN revoked_seats > last_revoked_seats THEN last_revoked_seats ELSE revoked_seats END
      AS revoked_seat_quantity,
    -- What Apple refunded: a share of the price, of 100000, or seats.
    CASE
      WHEN is_upgraded = 0 AND revoked_at IS NOT NULL THEN COALESCE(revocation_percentage, 100000)
      WHEN is_unended = 1 AND revoked_seats >= last_revoked_seats THEN revocation_percentage
    END AS stated_share
  FROM ordered o
)
SELECT
  environment, bundle_id, original_transaction_id, transaction_id, product_id, type, purchase_at, expires_at,
  revoked_at, is_upgraded, original_purchase_at, web_order_line_item_id, subscription_group_identifier,
  in_app_ownership_type, quantity, transaction_reason, revocation_reason, revocation_type, revocation_percentage,
  is_trial_period, is_in_intro_offer_period, COALESCE(offer_type, order_offer_type) AS offer_type,
  COALESCE(offer_identifier, order_offer_identifier) AS offer_identifier,
  COALESCE(offer_discount_type, order_offer_discount_type) AS offer_discount_type,
  COALESCE(offer_period, order_offer_period) AS offer_period, COALESCE(storefront, order_storefront) AS storefront,
  COALESCE(currency, order_currency) AS currency,
  paid_milliunits AS price_milliunits,
  CASE
    WHEN stated_share IS NOT NULL
    THEN paid_milliunits / 100000 * stated_share + (paid_milliunits % 100000 * stated_share + 50000) / 100000
    WHEN revoked_seat_quantity > 0
    THEN paid_milliunits / quantity * revoked_seat_quantity
      + (paid_milliunits % quantity * revoked_seat_quantity + quantity / 2) / quantity
  END AS refunded_milliunits,
  CASE WHEN first_transaction_key = transaction_key THEN 1 ELSE 0 END AS is_counted,
  app_account_token, app_transaction_id, trust, evidence_at, as_of, known_at, original_transaction_key,
  transaction_key, version_id,
  billing_plan_type, commitment_billing_period_number, commitment_total_billing_periods, is_paid_by_owner,
  CASE
    WHEN is_trial_period = 1 OR COALESCE(offer_discount_type, order_offer_discount_type) = 'FREE_TRIAL' THEN 1
    WHEN paid_milliunits = 0 THEN 1
    ELSE 0
  END AS is_free,
  additional_transaction_reason, revoked_seat_quantity,
  CASE
    WHEN stated_share IS NOT NULL THEN stated_share
    WHEN revoked_seat_quantity > 0 THEN (100000 * revoked_seat_quantity + quantity / 2) / quantity
  END AS refunded_share,
  CASE WHEN stated_share IS NULL AND revoked_seat_quantity > 0 THEN 1 ELSE 0 END AS is_refund_estimated
FROM priced;
