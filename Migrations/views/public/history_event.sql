-- The events of each original transaction up to as_of, one row for each event. A row has what happened and when, when
-- the ledger recorded it, and the payload that states it. The program that shows an event chooses the words for it.
--
-- is_inferred: 1 when happened_at is not a date from Apple (rules §1). Then the event happened at or after happened_at.
CREATE VIEW history_event AS
WITH version AS (SELECT * FROM int_transaction_version_history),
-- Seats that were added to a period that an earlier transaction had begun.
addition AS (
  SELECT *
  FROM version v
  WHERE additional_transaction_reason IS NOT NULL AND EXISTS (
    SELECT 1 FROM version o
    WHERE o.as_of = v.as_of AND o.known_at = v.known_at AND o.original_transaction_key = v.original_transaction_key
      AND o.product_id = v.product_id AND o.purchase_at < v.purchase_at AND o.expires_at > v.purchase_at
  )
),
change AS (SELECT * FROM int_renewal_info_change)
SELECT
  l.environment, l.original_transaction_id, e.event, e.happened_at, e.recorded_at, e.transaction_id, e.product_id,
  e.detail, e.second_detail, e.related_at, e.as_of, e.known_at, e.original_transaction_key, e.payload_id, e.is_inferred,
  e.auto_renew_status
FROM (
  SELECT
    a.as_of, a.known_at, n.original_transaction_key, i.evidence_at AS happened_at, i.recorded_at,
    'notification' AS event,
    NULL AS transaction_id, NULL AS product_id, n.notification_type AS detail, n.subtype AS second_detail, NULL AS related_at,
    n.payload_id, i.is_inferred,
    -- V1 states the new auto-renew status only in its renewal info.
    CASE
      WHEN n.notification_type = 'DID_CHANGE_RENEWAL_STATUS'
        THEN (
          SELECT CASE WHEN MIN(s.auto_renew_status) = MAX(s.auto_renew_status) THEN MAX(s.auto_renew_status) END
          FROM renewal_info_version v JOIN renewal_info s ON s.renewal_info_id = v.renewal_info_id
          WHERE v.payload_id = n.payload_id AND v.original_transaction_key = n.original_transaction_key
        )
    END AS auto_renew_status
  FROM param_scope a
  CROSS JOIN notification n
  CROSS JOIN stg_payload i
  WHERE n.original_transaction_key = a.original_transaction_key AND i.payload_id = n.payload_id
    AND i.recorded_at <= a.known_at
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, purchase_at, recorded_at,
    CASE WHEN expires_at IS NULL THEN 'purchase' WHEN is_trial = 1 THEN 'trial' ELSE 'period' END,
    transaction_id, product_id, transaction_reason, in_app_ownership_type, expires_at, payload_id, 0, NULL
  FROM version v
  -- A version may omit the end of a subscription period. It is not a purchase of its own.
  WHERE period_rank = 1 AND (expires_at IS NOT NULL OR is_subscription = 0)
    AND NOT EXISTS (
      SELECT 1 FROM addition d
      WHERE d.as_of = v.as_of AND d.known_at = v.known_at
        AND d.original_transaction_key = v.original_transaction_key AND d.transaction_id = v.transaction_id
    )
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, purchase_at, recorded_at, 'seats_added', transaction_id, product_id,
    CAST(quantity AS TEXT), NULL, expires_at, payload_id, 0, NULL
  FROM addition
  WHERE period_rank = 1
  UNION ALL
  -- Apple states how many seats were refunded until then, and no date. detail is this number, second_detail that of all
  -- seats.
  SELECT
    as_of, known_at, original_transaction_key, signed_at, recorded_at, 'seats_refunded', transaction_id, product_id,
    CAST(revoked_seat_quantity AS TEXT), CAST(quantity AS TEXT), expires_at, payload_id, 0, NULL
  FROM (
    SELECT
      r.*,
      ROW_NUMBER() OVER (
        PARTITION BY as_of, known_at, original_transaction_key, transaction_id, revoked_seat_quantity
        ORDER BY signed_at, recorded_at, payload_id
      ) AS seat_rank
    FROM version r
    WHERE revoked_seat_quantity > 0
  ) s
  WHERE seat_rank = 1
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, revoked_at, recorded_at,
    CASE WHEN is_upgraded = 1 THEN 'upgraded' ELSE 'revoked' END,
    transaction_id, product_id,
    COALESCE(revocation_type, CASE WHEN in_app_ownership_type = 'FAMILY_SHARED' THEN 'FAMILY_SHARED' END),
    CAST(revocation_reason AS TEXT), expires_at, payload_id, 0, NULL
  FROM version
  WHERE revocation_rank = 1 AND revoked_at IS NOT NULL
  UNION ALL
  -- The product changed from one period to the next, or the customer returned after a gap. A product may change within
  -- a period, at its end (within a minute) or after a gap. related_at is the end of the previous period.
  SELECT
    c.as_of, c.known_at, c.original_transaction_key, c.purchase_at, f.recorded_at,
    CASE
      WHEN c.previous_product_id = c.product_id THEN 'returned'
      WHEN c.previous_expires_at > c.purchase_at + 60000 THEN 'changed_at_once'
      WHEN c.previous_expires_at >= c.purchase_at - 60000 THEN 'changed_at_renewal'
      ELSE 'changed_on_return'
    END,
    c.transaction_id, c.product_id, c.previous_product_id, NULL, c.previous_expires_at, f.payload_id, 0, NULL
  FROM (
    SELECT
      t.*, s.product_id,
      LAG(s.product_id) OVER periods AS previous_product_id, LAG(t.expires_at) OVER periods AS previous_expires_at
    FROM int_current_transaction_version t
    JOIN transaction_version v ON v.version_id = t.version_id
    JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
    WHERE t.expires_at > t.purchase_at
    WINDOW periods AS (
      PARTITION BY t.as_of, t.known_at, t.original_transaction_key
        ORDER BY t.purchase_at, t.expires_at, t.transaction_key
    )
  ) c
  JOIN int_first_transaction_version f
    ON f.as_of = c.as_of AND f.known_at = c.known_at AND f.original_transaction_key = c.original_transaction_key
    AND f.transaction_key = c.transaction_key
  WHERE c.previous_product_id <> c.product_id OR c.previous_expires_at < c.purchase_at - 60000
  UNION ALL
  SELECT
    a.as_of, a.known_at, n.original_transaction_key, t.attempted_at, i.recorded_at, 'send_attempt', NULL, NULL,
    t.result,
    n.notification_type, NULL, t.payload_id, 0, NULL
  FROM param_scope a
  CROSS JOIN notification n
  CROSS JOIN send_attempt t
  CROSS JOIN stg_payload i
  WHERE n.original_transaction_key = a.original_transaction_key AND t.notification_id = n.payload_id
    AND i.payload_id = t.payload_id
    AND i.recorded_at <= a.known_at
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, COALESCE(auto_renew_status_changed_at, evidence_at), recorded_at,
    CASE auto_renew_status WHEN 1 THEN 'renewal_on' ELSE 'renewal_off' END,
    NULL, product_id, auto_renew_product_id, NULL, NULL, payload_id,
    CASE WHEN auto_renew_status_changed_at IS NULL THEN is_inferred ELSE 0 END, auto_renew_status
  FROM change
  WHERE auto_renew_status <> COALESCE(previous_status, 1)
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, evidence_at, recorded_at, 'product_next',
    NULL, COALESCE(previous_product_id, product_id), auto_renew_product_id, NULL, NULL, payload_id,
    is_inferred, NULL
  FROM change
  WHERE COALESCE(auto_renew_status, 1) = 1
    AND auto_renew_product_id <> COALESCE(previous_product_id, product_id, auto_renew_product_id)
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, evidence_at, recorded_at, 'seats_next',
    NULL, product_id, CAST(renewal_quantity AS TEXT), CAST(previous_quantity AS TEXT), NULL, payload_id, is_inferred,
    NULL
  FROM change
  WHERE renewal_quantity <> previous_quantity
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, evidence_at, recorded_at, 'grace',
    NULL, product_id, NULL, NULL, grace_period_expires_at, payload_id, is_inferred, NULL
  FROM change
  WHERE grace_period_expires_at > COALESCE(previous_grace, 0)
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, evidence_at, recorded_at,
    CASE is_in_billing_retry_period WHEN 1 THEN 'retry_began' ELSE 'retry_ended' END,
    NULL, product_id, NULL, NULL, NULL, payload_id, is_inferred, NULL
  FROM change
  WHERE is_in_billing_retry_period <> COALESCE(previous_retry, 0)
    -- A failed payment is one event. If it has a grace period, that event is `grace`.
    AND (is_in_billing_retry_period = 0 OR grace_period_expires_at IS NULL
      OR grace_period_expires_at <= COALESCE(previous_grace, 0))
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, evidence_at, recorded_at, 'price_increase',
    NULL, product_id, CAST(price_increase_status AS TEXT), NULL, NULL, payload_id, is_inferred, NULL
  FROM change
  WHERE price_increase_status <> COALESCE(previous_price_increase, -1)
) e
JOIN original_transaction l ON l.original_transaction_key = e.original_transaction_key
WHERE e.happened_at <= e.as_of;
