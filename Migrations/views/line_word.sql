-- What was said of a line's renewal, as far as was known: the words of Apple's renewal infos, one after the other. Of
-- several at one instant that with place 1 speaks, and before it, of those about the head's product, that with
-- product_place 1 (rules §5, ties).
CREATE VIEW line_word AS
SELECT
  w.known_at, w.line_id, w.evidence_at, w.version_id, s.product_id, s.auto_renew_product_id, s.auto_renew_status,
  s.expiration_intent, s.is_in_billing_retry_period, s.grace_period_expires_at, s.price_increase_status,
  CASE WHEN v.source_rank = 1 THEN v.signed_at END AS signed_at,
  ROW_NUMBER() OVER (
    PARTITION BY w.known_at, w.line_id, w.evidence_at ORDER BY v.source_rank, c.digest DESC, p.digest DESC, w.as_of
  ) AS place,
  ROW_NUMBER() OVER (
    PARTITION BY w.known_at, w.line_id, w.evidence_at, s.product_id
    ORDER BY v.source_rank, c.digest DESC, p.digest DESC, w.as_of
  ) AS product_place
FROM (
  SELECT a.as_of, a.known_at, a.line_id, r.evidence_at, r.version_id
  FROM asked a
  CROSS JOIN line_kept l
  CROSS JOIN projection_renewal r
  WHERE l.line_id = a.line_id AND r.line_id = a.line_id AND r.recorded_at <= a.known_at
  UNION ALL
  SELECT as_of, known_at, line_id, evidence_at, version_id FROM renewal_derived
) w
JOIN renewal_version v ON v.version_id = w.version_id
JOIN renewal_statement s ON s.statement_id = v.statement_id
JOIN statement c ON c.statement_id = v.statement_id
JOIN payload p ON p.payload_id = v.payload_id;
