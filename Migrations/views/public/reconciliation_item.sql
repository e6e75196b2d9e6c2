-- The ledger's purchases and refunds in Apple's terms, for a reconciliation: what App Store Connect should report, and on
-- which Pacific day. There is one row for each agreement that a transaction belongs to.
--
--   payments  each paid period of a subscription
--   refunds   each refunded period, by the day of the refund: also a refund that was reversed later, because Apple's
--             report of the day does not change, and the money back for an upgrade
--   sales     each paid period and each one-time purchase
--   returns   each complete refund of these
--   finance_returns  each refund of these, also of a part: the returns of financial reports
--
-- is_counted: 1 if Apple should report it. Else excluded_by names the reason: environment (Apple reports Production only),
-- ownership (somebody else paid), free (nothing was paid).
-- @integer is_counted, is_signed
CREATE VIEW reconciliation_item AS
SELECT
  as_of, known_at, agreement, day_at, utc_day_at, product_id, country, currency,
  CASE WHEN agreement IN ('payments', 'sales') THEN price_milliunits END AS price_milliunits,
  units, CASE WHEN agreement IN ('payments', 'sales') THEN price_milliunits * units ELSE refunded_milliunits END
    AS amount_milliunits,
  CASE WHEN excluded_by IS NULL THEN 1 ELSE 0 END AS is_counted, excluded_by,
  CASE WHEN trust = 'verified' THEN 1 ELSE 0 END AS is_signed,
  occurred_at, environment, bundle_id, original_transaction_id, transaction_id, original_transaction_key
FROM (
  SELECT
    i.*, (i.occurred_at + c.utc_offset) / 86400000 * 86400000 AS day_at,
    i.occurred_at / 86400000 * 86400000 AS utc_day_at,
    CASE
      WHEN i.environment <> 'Production' THEN 'environment'
      WHEN i.is_paid_by_owner = 0 THEN 'ownership'
      WHEN i.is_free = 1 THEN 'free'
    END AS excluded_by
  FROM (
    SELECT
      t.as_of, t.known_at, a.agreement, t.environment, t.bundle_id, t.original_transaction_id, t.transaction_id,
      t.original_transaction_key, t.product_id, t.storefront AS country, t.currency, t.price_milliunits,
      t.is_paid_by_owner, t.is_free, t.trust,
      CASE WHEN t.expires_at IS NULL THEN COALESCE(t.quantity, 1) ELSE 1 END AS units,
      CASE WHEN a.is_reversed = 0 AND t.upgraded_at IS NULL THEN t.refunded_milliunits END AS refunded_milliunits,
      CASE
        WHEN a.agreement IN ('payments', 'sales') THEN t.purchase_at
        WHEN a.is_reversed = 1 THEN r.revoked_at
        ELSE COALESCE(t.upgraded_at, t.revoked_at)
      END AS occurred_at
    FROM (
      SELECT
        c.*,
        -- An upgrade replaces the period before its end. Only some texts state is_upgraded.
        CASE
          WHEN is_upgraded = 1 THEN COALESCE(revoked_at, next_purchase_at)
          WHEN next_purchase_at < expires_at AND next_product_id <> product_id AND revoked_at IS NULL
          THEN next_purchase_at
        END AS upgraded_at
      FROM (
        SELECT
          n.as_of, n.known_at, n.environment, n.bundle_id, n.original_transaction_id, n.transaction_id,
          n.original_transaction_key, n.transaction_key, n.product_id, n.storefront, n.currency, n.price_milliunits,
          n.is_paid_by_owner, n.is_free, n.trust, n.purchase_at, n.expires_at, n.revoked_at, n.is_upgraded, n.quantity,
          n.refunded_milliunits, n.refunded_share, LEAD(n.purchase_at) OVER of_subscription AS next_purchase_at,
          LEAD(n.product_id) OVER of_subscription AS next_product_id
        FROM transaction_current n
        WHERE n.is_counted = 1
        WINDOW of_subscription AS (
          PARTITION BY
            n.as_of, n.known_at, n.original_transaction_key,
            CASE WHEN n.additional_transaction_reason IS NULL THEN 0 ELSE 1 END
          ORDER BY n.purchase_at, n.transaction_id
        )
      ) c
    ) t
    CROSS JOIN (
      SELECT 'payments' AS agreement, 0 AS is_reversed UNION ALL SELECT 'sales', 0
      UNION ALL SELECT 'refunds', 0 UNION ALL SELECT 'refunds', 1
      UNION ALL SELECT 'returns', 0 UNION ALL SELECT 'returns', 1
      UNION ALL SELECT 'finance_returns', 0 UNION ALL SELECT 'finance_returns', 1
    ) a
    LEFT JOIN int_reversed_refund r
      ON r.known_at = t.known_at AND r.original_transaction_key = t.original_transaction_key
      AND r.transaction_key = t.transaction_key AND a.is_reversed = 1
    -- What was bought while a refund held is not an upgrade.
    LEFT JOIN int_reversed_refund h
      ON h.known_at = t.known_at AND h.original_transaction_key = t.original_transaction_key
      AND h.transaction_key = t.transaction_key AND h.revoked_at <= t.upgraded_at AND h.reversed_at > t.upgraded_at
      AND a.is_reversed = 0 AND a.agreement IN ('refunds', 'returns', 'finance_returns')
    CROSS JOIN (SELECT DISTINCT bundle_id FROM param_reconciliation) p
    WHERE (p.bundle_id IS NULL OR t.bundle_id = p.bundle_id)
      -- Most purchases were never refunded.
      AND (
        a.agreement IN ('payments', 'sales') OR a.is_reversed = 1 OR t.revoked_at IS NOT NULL OR t.upgraded_at IS NOT NULL
      )
      AND CASE
        WHEN a.agreement = 'payments' AND t.expires_at IS NOT NULL THEN 1
        WHEN a.agreement = 'sales' THEN 1
        WHEN a.agreement = 'refunds' AND t.expires_at IS NULL THEN 0
        WHEN a.is_reversed = 1 AND r.transaction_key IS NULL THEN 0
        WHEN a.is_reversed = 1 AND (a.agreement <> 'returns' OR r.refunded_share = 100000) THEN 1
        WHEN a.is_reversed = 1 OR h.transaction_key IS NOT NULL THEN 0
        WHEN a.agreement IN ('refunds', 'finance_returns') AND (t.revoked_at IS NOT NULL OR t.upgraded_at IS NOT NULL) THEN 1
        WHEN a.agreement = 'returns' AND t.upgraded_at IS NULL AND t.refunded_share = 100000 THEN 1
        ELSE 0
      END = 1
  ) i
  JOIN int_reconciliation_clock c ON c.begins_at <= i.occurred_at AND c.ends_at > i.occurred_at
) dated;
