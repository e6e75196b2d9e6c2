-- The input of the rules at every instant at which an answer can change. Here as_of is that instant. No answer changes
-- between two of these instants. So the whole history of a subscription needs only a few rows.
--
-- An answer can change when (rules §3 to §5):
--   - a period begins, ends, or ends early
--   - Apple states renewal info
--   - a grace period ends
--   - billing retry ends, counted from the end of a period
CREATE VIEW rule_input_timeline AS
WITH period AS (SELECT * FROM int_deciding_period),
info AS (SELECT * FROM int_renewal_info_history),
instant_of_change AS (
  SELECT known_at, original_transaction_key, purchase_at AS instant, purchase_at,
    CAST(NULL AS BIGINT) AS info_at FROM period
  UNION ALL
  SELECT
    t.known_at, t.original_transaction_key,
    CASE m.kind
      WHEN 1 THEN t.expires_at WHEN 2 THEN t.cut_at
      ELSE t.expires_at + (SELECT billing_retry_duration FROM rule_constant)
    END, NULL, NULL
  FROM period t
  CROSS JOIN (SELECT 1 AS kind UNION ALL SELECT 2 UNION ALL SELECT 3) m
  WHERE CASE m.kind
      WHEN 1 THEN t.expires_at WHEN 2 THEN t.cut_at
      ELSE t.expires_at + (SELECT billing_retry_duration FROM rule_constant)
    END < COALESCE(t.succeeded_at, 9223372036854775807)
  UNION ALL
  SELECT known_at, original_transaction_key, evidence_at, NULL, evidence_at FROM info WHERE row_rank = 1
  UNION ALL
  SELECT known_at, original_transaction_key, grace_period_expires_at, NULL,
    NULL FROM info WHERE grace_period_expires_at IS NOT NULL
),
-- Rows with the same instant get the same result; keep the first.
change_point AS (
  SELECT
    known_at, original_transaction_key, instant,
    MAX(purchase_at) OVER past AS purchase_at,
    MAX(info_at) OVER past AS latest_at,
    MIN(info_at) OVER (
      PARTITION BY known_at, original_transaction_key ORDER BY instant RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
    ) AS next_at,
    LAG(instant) OVER past AS previous_at
  FROM instant_of_change
  WINDOW past AS (PARTITION BY known_at, original_transaction_key ORDER BY instant)
)
SELECT
  p.instant AS as_of, p.known_at, p.original_transaction_key, t.version_id, t.transaction_key,
  t.evidence_at AS deciding_evidence_at,
  t.product_id, t.purchase_at, t.expires_at, t.revoked_at, t.is_upgraded, h.evidence_at,
  COALESCE(lp.version_id, l.version_id) AS deciding_renewal_info_version_id,
  CASE WHEN lp.version_id IS NULL THEN l.grace_period_expires_at ELSE lp.grace_period_expires_at END
    AS grace_period_expires_at,
  CASE WHEN lp.version_id IS NULL THEN l.is_in_billing_retry_period ELSE lp.is_in_billing_retry_period END
    AS is_in_billing_retry_period,
  CASE WHEN lp.version_id IS NULL THEN l.expiration_intent ELSE lp.expiration_intent END AS expiration_intent,
  CASE WHEN lp.version_id IS NULL THEN l.auto_renew_status ELSE lp.auto_renew_status END AS deciding_auto_renew_status,
  CASE WHEN lp.version_id IS NULL THEN l.signed_at ELSE lp.signed_at END AS renewal_signed_at,
  COALESCE(np.version_id, n.version_id) AS latest_renewal_info_version_id,
  CASE WHEN np.version_id IS NULL THEN n.auto_renew_status ELSE np.auto_renew_status END AS auto_renew_status,
  CASE WHEN np.version_id IS NULL THEN n.auto_renew_product_id ELSE np.auto_renew_product_id END
    AS auto_renew_product_id,
  h.uncontradicted_evidence_at,
  CASE WHEN d.version_id IS NULL THEN 0 ELSE 1 END AS is_contradicted
FROM change_point p
LEFT JOIN period t ON t.known_at = p.known_at AND t.original_transaction_key = p.original_transaction_key
AND t.purchase_at = p.purchase_at
LEFT JOIN int_last_evidence h ON h.known_at = p.known_at AND h.original_transaction_key = p.original_transaction_key
LEFT JOIN int_contradicted_version d
  ON d.known_at = p.known_at AND d.original_transaction_key = p.original_transaction_key AND d.version_id = t.version_id
-- The deciding renewal info (rules §5): the last one between the end of the period and this instant. Else the first one
-- after this instant, else the last one before the end of the period.
LEFT JOIN info l
  ON l.known_at = p.known_at AND l.original_transaction_key = p.original_transaction_key AND l.row_rank = 1
  AND l.evidence_at = CASE WHEN p.latest_at >= t.expires_at THEN p.latest_at ELSE COALESCE(p.next_at, p.latest_at) END
LEFT JOIN info lp
  ON lp.known_at = p.known_at AND lp.original_transaction_key = p.original_transaction_key AND lp.product_rank = 1
  AND lp.product_id = t.product_id
  AND lp.evidence_at = CASE WHEN p.latest_at >= t.expires_at THEN p.latest_at ELSE COALESCE(p.next_at, p.latest_at) END
LEFT JOIN info n
  ON n.known_at = p.known_at AND n.original_transaction_key = p.original_transaction_key
  AND n.evidence_at = p.latest_at AND n.row_rank = 1
LEFT JOIN info np
  ON np.known_at = p.known_at AND np.original_transaction_key = p.original_transaction_key
  AND np.evidence_at = p.latest_at AND np.product_rank = 1
  AND np.product_id = t.product_id
WHERE p.purchase_at IS NOT NULL AND (p.previous_at IS NULL OR p.previous_at < p.instant);
