-- The metric deltas of refund requests, and of consent to price increases.
CREATE VIEW metric_delta_of_notification AS
SELECT
  r.as_of, r.known_at, r.original_transaction_key, 'refund_requests' AS measure, r.environment, t.bundle_id,
  t.product_id,
  t.storefront AS country, CASE m.kind WHEN 'answer' THEN r.outcome ELSE 'open' END AS reason, r.reason AS detail,
  r.requested_at - r.requested_at % 86400000 AS day_at,
  CASE m.kind WHEN 'open' THEN r.requested_at ELSE r.answered_at END AS effective_at,
  CASE m.kind WHEN 'closed' THEN -1 ELSE 1 END AS amount
FROM refund_request r
CROSS JOIN (SELECT 'open' AS kind UNION ALL SELECT 'closed' UNION ALL SELECT 'answer') m
LEFT JOIN (
  SELECT c.as_of, c.known_at, c.original_transaction_key, c.transaction_key, c.bundle_id, c.product_id, c.storefront
  FROM transaction_current c
) t ON t.as_of = r.as_of AND t.known_at = r.known_at AND t.original_transaction_key = r.original_transaction_key
AND t.transaction_key = r.transaction_key
WHERE m.kind = 'open' OR r.answered_at IS NOT NULL
UNION ALL
SELECT
  a.as_of, w.known_at, w.original_transaction_key, 'price_consent', l.environment, NULL, w.product_id, NULL,
  CASE w.price_increase_status WHEN 0 THEN 'asked' ELSE 'agreed' END, NULL,
  w.evidence_at - w.evidence_at % 86400000, w.evidence_at, 1
FROM (
  SELECT
    s.*, LAG(s.price_increase_status) OVER (PARTITION BY s.known_at, s.original_transaction_key
    ORDER BY s.evidence_at) AS previous_status
  FROM int_renewal_info_history s
  WHERE s.row_rank = 1
) w
JOIN original_transaction l ON l.original_transaction_key = w.original_transaction_key
JOIN param_scope a ON a.original_transaction_key = w.original_transaction_key AND a.known_at = w.known_at
WHERE w.price_increase_status = 0 AND COALESCE(w.previous_status, 1) <> 0
  OR w.price_increase_status = 1 AND w.previous_status = 0;
