-- Every renewal version that said something new, in the order of its evidence, with what was said before it.
CREATE VIEW renewal_change AS
SELECT *
FROM (
  SELECT
    a.as_of, a.known_at, v.line_id, COALESCE(v.signed_at, i.evidence_at) AS evidence_at, i.recorded_at, v.version_id, v.payload_id,
    s.product_id, s.auto_renew_product_id, s.auto_renew_status, s.expiration_intent,
    COALESCE(s.is_in_billing_retry_period, 0) AS is_in_billing_retry_period, s.grace_period_expires_at,
    s.price_increase_status, s.auto_renew_status_changed_at,
    CASE WHEN v.signed_at IS NULL THEN i.is_inferred ELSE 0 END AS is_inferred,
    LAG(s.auto_renew_product_id) OVER said AS previous_product_id,
    LAG(s.auto_renew_status) OVER said AS previous_status,
    LAG(COALESCE(s.is_in_billing_retry_period, 0)) OVER said AS previous_retry,
    LAG(s.grace_period_expires_at) OVER said AS previous_grace,
    LAG(s.price_increase_status) OVER said AS previous_price_increase,
    LAG(s.expiration_intent) OVER said AS previous_intent
  FROM asked a
  CROSS JOIN renewal_version v
  CROSS JOIN payload_instant i
  CROSS JOIN renewal_statement s
  CROSS JOIN statement w
  WHERE v.line_id = a.line_id AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at
    AND s.statement_id = v.statement_id AND w.statement_id = v.statement_id
  WINDOW said AS (
    PARTITION BY a.as_of, a.known_at, v.line_id
    ORDER BY COALESCE(v.signed_at, i.evidence_at), v.source_rank DESC, w.digest, i.digest
  )
) one;
