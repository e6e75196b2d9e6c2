-- Every purchase and renewal once, for analysts: one row for each period, and one for each addition of seats to it
-- (is_addition). An addition is a payment and begins no period. Restored copies of a purchase are one row. Columns have the names of RevenueCat's transaction export where the meaning is the same.
--
-- effective_end_at is when the access of this period ended or will end. That is the end of the period or its grace
-- period, a refund, or the start of the next period. Seats that were added do not end the access of the others.
--
-- Money (rules §10) is in milliunits of purchased_currency. It is NULL when Apple stated no price, or the holder did
-- not pay (family sharing, assigned seats). purchase_price is the price that was paid. price is the rest after a
-- refund. An upgrade is not a refund.
-- @integer renewal_number, is_addition, period_refunded_at, is_after_paid_year
CREATE VIEW transaction_fact AS
WITH period AS (
  SELECT
    t.*, d.reference_name AS product_display_name, d.period AS product_duration, a.grace_period_end_at,
    a.unsubscribe_detected_at, a.billing_issues_detected_at,
    CASE WHEN t.expires_at IS NULL THEN 0 ELSE 1 END AS is_auto_renewable,
    CASE
      WHEN t.expires_at IS NULL THEN t.revoked_at
      ELSE COALESCE(x.access_until, a.access_until, t.purchase_at)
    END AS effective_end_at,
    CASE
      WHEN t.expires_at IS NULL THEN t.revoked_at
      ELSE COALESCE(x.period_access_until, a.access_until, t.purchase_at)
    END AS period_end_at,
    COALESCE(x.is_addition, 0) AS is_addition,
    COALESCE(t.in_app_ownership_type, 'PURCHASED') AS ownership_type,
    CASE WHEN t.is_paid_by_owner = 1 AND t.is_free = 0 THEN 1 ELSE 0 END AS is_payment,
    CASE WHEN t.is_free = 0 AND (t.is_in_intro_offer_period = 1 OR t.offer_type = 1) THEN 1 ELSE 0 END AS is_intro,
    CASE WHEN t.is_upgraded = 0 THEN t.revoked_at END AS refunded_at,
    CASE
      WHEN t.is_upgraded = 0 AND x.transaction_key IS NULL THEN t.revoked_at
      WHEN x.period_refunded_at <= t.as_of THEN x.period_refunded_at
    END AS period_refunded_at
  FROM transaction_current t
  LEFT JOIN int_period_access a
    ON a.known_at = t.known_at AND a.original_transaction_key = t.original_transaction_key
    AND a.purchase_at = t.purchase_at
  LEFT JOIN int_seat_access x
    ON x.known_at = t.known_at AND x.original_transaction_key = t.original_transaction_key
    AND x.transaction_key = t.transaction_key
  LEFT JOIN int_catalogue_app c
    ON c.as_of = t.as_of AND c.known_at = t.known_at AND c.named = COALESCE(t.bundle_id, '')
  LEFT JOIN product d
    ON d.as_of = t.as_of AND d.known_at = t.known_at AND d.bundle_id = c.bundle_id AND d.product_id = t.product_id
  WHERE t.is_counted = 1 AND (t.expires_at IS NULL OR t.expires_at > t.purchase_at)
),
-- Of each period only what is compared with other periods.
numbered AS (
  SELECT
    n.as_of, n.known_at, n.original_transaction_key, n.transaction_key, n.renewal_number, n.was_free,
    n.previous_effective_end_at, n.previous_product_id, n.previous_offer_type, n.previous_offer_identifier,
    n.payments_before,
    -- The start of the trial that this period is, or that came before it. A free period that a paying customer
    -- receives is not a trial.
    MIN(
      CASE
        WHEN n.is_addition = 1 THEN NULL
        WHEN n.is_free = 0 OR n.is_paid_by_owner = 0 OR n.is_auto_renewable = 0 OR n.was_free = 1 THEN NULL
        WHEN n.previous_effective_end_at >= n.purchase_at THEN NULL
        ELSE n.purchase_at
      END
    ) OVER (PARTITION BY n.as_of, n.known_at, n.original_transaction_key, n.payments_before) AS trial_start_at
  FROM (
    SELECT
      as_of, known_at, original_transaction_key, transaction_key, purchase_at, is_free, is_paid_by_owner,
      is_auto_renewable, is_addition,
      SUM(1 - is_addition) OVER (
        PARTITION BY as_of, known_at, original_transaction_key ORDER BY purchase_at, expires_at, transaction_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS renewal_number,
      LAG(is_free) OVER of_subscription AS was_free,
      LAG(period_end_at) OVER of_subscription AS previous_effective_end_at,
      LAG(product_id) OVER of_subscription AS previous_product_id,
      LAG(offer_type) OVER of_subscription AS previous_offer_type,
      LAG(offer_identifier) OVER of_subscription AS previous_offer_identifier,
      (SUM(is_payment * (1 - is_addition)) OVER (
        PARTITION BY as_of, known_at, original_transaction_key ORDER BY purchase_at, expires_at, transaction_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      )) - is_payment * (1 - is_addition) AS payments_before
    FROM period
    WINDOW of_subscription AS (
      PARTITION BY as_of, known_at, original_transaction_key, is_addition
      ORDER BY purchase_at, expires_at, transaction_id
    )
  ) n
),
-- Time of paid service before each period, less that before the last gap of more than 60 days. Apple counts 365 days as a
-- year. Grace periods do not count.
service AS (
  SELECT
    as_of, known_at, original_transaction_key, transaction_key,
    CASE
      WHEN paid_before - COALESCE(
        MAX(CASE WHEN is_addition = 0 AND previous_end_at + 5184000000 < purchase_at THEN paid_before END) OVER (
          PARTITION BY as_of, known_at, original_transaction_key ORDER BY purchase_at, expires_at, transaction_id
          ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ), 0
      ) >= 31536000000
      THEN 1
      ELSE 0
    END AS is_after_paid_year
  FROM (
    SELECT
      as_of, known_at, original_transaction_key, transaction_key, purchase_at, expires_at, transaction_id, is_addition,
      LAG(purchase_at + duration) OVER of_subscription AS previous_end_at,
      SUM(is_payment * duration) OVER (
        PARTITION BY as_of, known_at, original_transaction_key ORDER BY purchase_at, expires_at, transaction_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) - is_payment * duration AS paid_before
    FROM (
      SELECT
        as_of, known_at, original_transaction_key, transaction_key, purchase_at, expires_at, transaction_id, is_payment,
        is_addition,
        CASE
          WHEN is_auto_renewable = 0 OR is_addition = 1 OR period_end_at < purchase_at THEN 0
          WHEN period_end_at < expires_at THEN period_end_at - purchase_at
          ELSE expires_at - purchase_at
        END AS duration
      FROM period
    ) p
    WINDOW of_subscription AS (
      PARTITION BY as_of, known_at, original_transaction_key, is_addition
      ORDER BY purchase_at, expires_at, transaction_id
    )
  ) paid
)
SELECT
  environment, bundle_id, original_transaction_id,
  original_transaction_id AS original_store_transaction_id, transaction_id AS store_transaction_id, renewal_number,
  product_id AS product_identifier, product_display_name, product_duration,
  storefront AS country, purchase_at AS start_at, expires_at AS end_at, grace_period_end_at,
  effective_end_at, is_auto_renewable, is_free AS is_trial_period, is_intro AS is_in_intro_offer_period,
  CASE WHEN is_payment = 1 AND was_free = 1 AND is_addition = 0 THEN 1 ELSE 0 END AS is_trial_conversion,
  CASE WHEN is_payment = 1 AND payments_before = 0 AND is_addition = 0 THEN 1 ELSE 0 END AS is_first_payment,
  is_payment, CASE WHEN environment = 'Production' THEN 0 ELSE 1 END AS is_sandbox, ownership_type, offer_type,
  offer_identifier AS offer, offer_discount_type, offer_period, currency AS purchased_currency,
  price_milliunits AS purchase_price_in_purchased_currency_milliunits,
  price_milliunits - COALESCE(refunded_milliunits, 0) AS price_in_purchased_currency_milliunits,
  refunded_milliunits, refunded_share, is_refund_estimated, revoked_seat_quantity, refunded_at, period_refunded_at, unsubscribe_detected_at, billing_issues_detected_at, billing_plan_type,
  commitment_billing_period_number, quantity, is_addition, app_account_token, evidence_at AS updated_at,
  CASE WHEN is_addition = 0 THEN trial_start_at END AS trial_start_at,
  CASE WHEN is_addition = 0 THEN previous_effective_end_at END AS previous_effective_end_at,
  CASE WHEN is_addition = 0 THEN previous_product_id END AS previous_product_identifier,
  CASE WHEN is_addition = 0 THEN previous_offer_type END AS previous_offer_type,
  CASE WHEN is_addition = 0 THEN previous_offer_identifier END AS previous_offer,
  CASE
    WHEN offer_type IS NULL OR is_addition = 1 THEN 0
    WHEN previous_offer_type = offer_type AND COALESCE(previous_offer_identifier, '') = COALESCE(offer_identifier, '')
    THEN 0
    ELSE 1
  END AS is_offer_start,
  s.is_after_paid_year,
  is_paid_by_owner,
  o.as_of, o.known_at, o.original_transaction_key, o.transaction_key, version_id
FROM period o
-- Cross joins, so that SQLite looks up both for each period.
CROSS JOIN numbered n
CROSS JOIN service s
WHERE n.as_of = o.as_of AND n.known_at = o.known_at AND n.original_transaction_key = o.original_transaction_key
  AND n.transaction_key = o.transaction_key
  AND s.as_of = o.as_of AND s.known_at = o.known_at AND s.original_transaction_key = o.original_transaction_key
  AND s.transaction_key = o.transaction_key;
