-- Rules §9: purchases that do not renew automatically, and whether they grant access.
--
--   non-consumable             active until revoked
--   non-renewing subscription  active until purchase_at + the catalogue's duration; without an end if that is not known
--   consumable, unknown        grants nothing
--
-- A duration in calendar months ends on the same day of a month, or on the last day of a shorter one.
--
-- The type is the transaction's own, else the catalogue's, else that of other evidence. Other evidence must be about
-- the same product, environment and app.
--
-- confirmed: 0 when only contradictory payloads state the transaction.
CREATE VIEW one_time_purchase AS
SELECT
  environment, bundle_id, original_transaction_id, transaction_id, product_id, type,
  CASE
    WHEN revoked_at <= as_of THEN 'revoked'
    WHEN ends_at <= as_of THEN 'expired'
    WHEN type IN ('Non-Consumable', 'Non-Renewing Subscription') THEN 'active'
    WHEN type = 'Consumable' THEN 'consumable'
    ELSE 'unknown'
  END AS state,
  CASE
    WHEN revoked_at <= as_of OR ends_at <= as_of THEN 0
    WHEN type IN ('Non-Consumable', 'Non-Renewing Subscription') THEN 1
    ELSE 0
  END AS has_access,
  CASE WHEN revoked_at <= as_of AND (ends_at IS NULL OR revoked_at < ends_at) THEN revoked_at ELSE ends_at END
    AS access_ends_at,
  CASE
    WHEN revoked_at <= as_of THEN 'revoked'
    WHEN type = 'Consumable' THEN 'consumable'
    WHEN ends_at <= as_of THEN 'duration_over'
    WHEN ends_at > as_of THEN 'within_duration'
    WHEN type IN ('Non-Consumable', 'Non-Renewing Subscription') THEN 'bought'
    ELSE 'unknown_type'
  END AS rule,
  in_app_ownership_type, quantity, purchase_at, revoked_at, ends_at, evidence_at, as_of, known_at,
  original_transaction_key, transaction_key, version_id,
  confirmed, is_contradictory, trust, added_root
FROM (
  SELECT
    b.*,
    CASE
      WHEN b.type <> 'Non-Renewing Subscription' THEN NULL
      WHEN e.starts_at + b.purchase_at - m.starts_at < e.ends_at
        THEN e.starts_at + b.purchase_at - m.starts_at + b.period_days * 86400000
      ELSE e.ends_at - 86400000 + b.purchase_at % 86400000 + b.period_days * 86400000
    END AS ends_at
  FROM (
    SELECT
      t.environment, COALESCE(s.bundle_id, w.bundle_id) AS bundle_id, t.original_transaction_id, t.transaction_id,
      s.product_id,
      COALESCE(
        s.type,
        p.type,
        -- Consumable comes before Non-Consumable, and that before Non-Renewing Subscription: MIN takes the first that
        -- evidence states.
        (
          SELECT MIN(k.type) FROM stg_product_type k
          WHERE k.product_id = s.product_id AND k.environment = t.environment
            AND k.bundle_id = COALESCE(s.bundle_id, w.bundle_id, '') AND k.recorded_at <= t.known_at
        ),
        'unknown'
      ) AS type,
      s.in_app_ownership_type, s.quantity, t.purchase_at, t.revoked_at, t.evidence_at, t.as_of, t.known_at,
      t.original_transaction_key, t.transaction_key, t.version_id, p.period_months, p.period_days,
      CASE
        WHEN l.is_contradicted = 1 AND NOT EXISTS (
          SELECT 1 FROM int_sound_version x
          WHERE x.original_transaction_key = t.original_transaction_key AND x.version_id = t.version_id
            AND x.recorded_at <= t.known_at
        ) THEN 0
        ELSE 1
      END AS confirmed,
      CASE WHEN EXISTS (SELECT 1 FROM stg_contradictory_payload x WHERE x.payload_id = v.payload_id) THEN 1 ELSE 0 END
        AS is_contradictory,
      w.trust, r.name AS added_root
    FROM int_current_transaction_version t
    JOIN transaction_version v ON v.version_id = t.version_id
    JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
    JOIN stg_payload_trust w ON w.payload_id = v.payload_id
    LEFT JOIN int_catalogue_app a
      ON a.as_of = t.as_of AND a.known_at = t.known_at AND a.named = COALESCE(s.bundle_id, w.bundle_id, '')
    LEFT JOIN product p
      ON p.as_of = t.as_of AND p.known_at = t.known_at AND p.bundle_id = a.bundle_id AND p.product_id = s.product_id
    LEFT JOIN root_certificate r ON r.root_id = w.root_id AND r.is_apple = 0
    LEFT JOIN projection_original_transaction l ON l.original_transaction_key = t.original_transaction_key
    WHERE t.expires_at IS NULL AND t.purchase_at <= t.as_of
  ) b
  LEFT JOIN calendar_month m
    ON b.period_months IS NOT NULL AND m.starts_at <= b.purchase_at AND m.ends_at > b.purchase_at
    AND m.starts_at > b.purchase_at - (SELECT month_limit FROM rule_constant)
  LEFT JOIN calendar_month e ON e.month_number = m.month_number + b.period_months
) purchase;
