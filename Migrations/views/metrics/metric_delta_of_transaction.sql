-- The metric deltas of purchases and renewals. A refund counts on the day of its purchase, from the refund on
-- (effective_at). So a refund changes past figures, and an earlier as_of still shows the figures before it. A refund of
-- seats counts until the next one, or the refund of the whole transaction, replaces it.
CREATE VIEW metric_delta_of_transaction AS
SELECT
  f.as_of, f.known_at, f.original_transaction_key, m.measure, f.environment, f.bundle_id,
  -- A conversion has the product and the offer of its trial.
  CASE m.measure WHEN 'trials_converted' THEN f.previous_product_identifier ELSE f.product_identifier END AS product_id,
  f.country,
  CASE WHEN m.is_money = 1 THEN f.purchased_currency END AS currency,
  CASE m.measure WHEN 'trials_converted' THEN f.previous_offer_type ELSE f.offer_type END AS offer_type,
  CASE m.measure WHEN 'trials_converted' THEN f.previous_offer ELSE f.offer END AS offer_identifier,
  CASE
    WHEN m.measure = 'offers_redeemed' THEN f.offer_discount_type
    WHEN m.measure IN ('trials_started', 'trials_converted') THEN NULL
    WHEN f.is_auto_renewable = 0 THEN 'one_time'
    WHEN f.is_first_payment = 1 THEN 'new'
    ELSE 'renewal'
  END AS reason,
  -- From these two, proceeds are estimated.
  CASE
    WHEN f.is_after_paid_year = 1 AND m.measure IN ('revenue_gross', 'revenue_refunded') THEN 'after_paid_year'
  END AS detail,
  CASE m.day
    WHEN 'start' THEN f.start_at - f.start_at % 86400000
    WHEN 'refund' THEN f.refunded_at - f.refunded_at % 86400000
    WHEN 'seat_refund' THEN r.refunded_at - r.refunded_at % 86400000
    WHEN 'seat_refund_end' THEN r.ended_at - r.ended_at % 86400000
    ELSE f.trial_start_at - f.trial_start_at % 86400000
  END AS day_at,
  CASE m.since
    WHEN 'start' THEN f.start_at
    WHEN 'refund' THEN f.refunded_at
    WHEN 'seat_refund' THEN r.refunded_at
    ELSE r.ended_at
  END AS effective_at,
  CASE
    WHEN m.is_money = 0 THEN m.sign
    WHEN m.since = 'start' THEN m.sign * f.purchase_price_in_purchased_currency_milliunits
    WHEN m.since = 'refund' THEN m.sign * f.refunded_milliunits
    ELSE m.sign * (
      f.purchase_price_in_purchased_currency_milliunits / r.share_denominator * r.share_numerator
      + (f.purchase_price_in_purchased_currency_milliunits % r.share_denominator * r.share_numerator
        + r.share_denominator / 2) / r.share_denominator
    )
  END AS amount
FROM transaction_fact f
CROSS JOIN (
  SELECT 'transactions_paid' AS measure, 'start' AS day, 'start' AS since, 1 AS sign, 0 AS is_money
  UNION ALL SELECT 'transactions_unpriced', 'start', 'start', 1, 0
  UNION ALL SELECT 'revenue_gross', 'start', 'start', 1, 1
  UNION ALL SELECT 'revenue_refunded', 'start', 'refund', 1, 1
  UNION ALL SELECT 'transactions_refunded', 'start', 'refund', 1, 0
  UNION ALL SELECT 'refunds_paid', 'refund', 'refund', 1, 1
  UNION ALL SELECT 'refunds', 'refund', 'refund', 1, 0
  UNION ALL SELECT 'trials_started', 'trial', 'start', 1, 0
  UNION ALL SELECT 'trials_converted', 'trial', 'start', 1, 0
  UNION ALL SELECT 'trials_converted', 'trial', 'refund', -1, 0
  UNION ALL SELECT 'offers_redeemed', 'start', 'start', 1, 0
  UNION ALL SELECT 'revenue_refunded', 'start', 'seat_refund', 1, 1
  UNION ALL SELECT 'revenue_refunded', 'start', 'seat_refund_end', -1, 1
  UNION ALL SELECT 'refunds_paid', 'seat_refund', 'seat_refund', 1, 1
  UNION ALL SELECT 'refunds_paid', 'seat_refund_end', 'seat_refund_end', -1, 1
  UNION ALL SELECT 'seat_refunds', 'seat_refund', 'seat_refund', 1, 0
  UNION ALL SELECT 'expansion', 'start', 'start', 1, 1
  UNION ALL SELECT 'expansion', 'start', 'refund', -1, 1
  UNION ALL SELECT 'expansion', 'start', 'seat_refund', -1, 1
  UNION ALL SELECT 'expansion', 'start', 'seat_refund_end', 1, 1
) m
LEFT JOIN int_seat_refund r
  ON m.since IN ('seat_refund', 'seat_refund_end') AND f.revoked_seat_quantity > 0 AND r.known_at = f.known_at
  AND r.original_transaction_key = f.original_transaction_key AND r.transaction_key = f.transaction_key
WHERE CASE m.since
    WHEN 'start' THEN 1 = 1
    WHEN 'refund' THEN f.refunded_at IS NOT NULL
    WHEN 'seat_refund' THEN r.refunded_at IS NOT NULL
    ELSE r.ended_at IS NOT NULL
  END
  AND CASE m.measure
    WHEN 'trials_started' THEN f.trial_start_at = f.start_at
    WHEN 'trials_converted' THEN f.is_trial_conversion = 1 AND f.trial_start_at IS NOT NULL
    WHEN 'offers_redeemed' THEN f.is_offer_start = 1 AND f.is_paid_by_owner = 1
    WHEN 'transactions_paid' THEN f.is_payment = 1
    WHEN 'transactions_unpriced'
      THEN f.is_payment = 1 AND f.purchase_price_in_purchased_currency_milliunits IS NULL
    WHEN 'expansion' THEN f.is_payment = 1 AND f.is_addition = 1
      AND f.purchase_price_in_purchased_currency_milliunits > 0
    WHEN 'revenue_gross' THEN f.is_payment = 1 AND f.purchase_price_in_purchased_currency_milliunits > 0
    WHEN 'revenue_refunded' THEN f.is_payment = 1 AND f.refunded_milliunits > 0
    WHEN 'refunds_paid' THEN f.is_payment = 1 AND f.refunded_milliunits > 0
    ELSE f.is_payment = 1
  END;
