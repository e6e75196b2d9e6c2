-- Beside a line's head, the renewal info that speaks for it at the end of time (rules §5 and §7): with both in one row,
-- "now" is one pass over one table.
ALTER TABLE projection_line ADD COLUMN renewal_version_id INTEGER;
ALTER TABLE projection_line ADD COLUMN grace_period_expires_at INTEGER;
ALTER TABLE projection_line ADD COLUMN is_in_billing_retry_period INTEGER;
ALTER TABLE projection_line ADD COLUMN expiration_intent INTEGER;
ALTER TABLE projection_line ADD COLUMN auto_renew_status INTEGER;
ALTER TABLE projection_line ADD COLUMN auto_renew_product_id TEXT;
-- signedDate of that renewal info; NULL where it was not signed.
ALTER TABLE projection_line ADD COLUMN renewal_signed_at INTEGER;

UPDATE projection_line SET
  renewal_version_id = r.version_id, grace_period_expires_at = r.grace_period_expires_at,
  is_in_billing_retry_period = r.is_in_billing_retry_period, expiration_intent = r.expiration_intent,
  auto_renew_status = r.auto_renew_status, auto_renew_product_id = r.auto_renew_product_id,
  renewal_signed_at = r.renewal_signed_at
FROM (
  SELECT
    l.line_id, v.version_id, s.grace_period_expires_at, s.is_in_billing_retry_period, s.expiration_intent,
    s.auto_renew_status, s.auto_renew_product_id, CASE WHEN v.source_rank = 1 THEN v.signed_at END AS renewal_signed_at,
    ROW_NUMBER() OVER (
      PARTITION BY l.line_id
      ORDER BY
        CASE WHEN s.product_id = l.product_id THEN 0 ELSE 1 END, v.source_rank, w.digest DESC, p.digest DESC
    ) AS place
  FROM projection_line l
  JOIN projection_renewal r ON r.line_id = l.line_id AND r.evidence_at = l.renewal_evidence_at
  JOIN renewal_version v ON v.version_id = r.version_id
  JOIN renewal_statement s ON s.statement_id = v.statement_id
  JOIN statement w ON w.statement_id = v.statement_id
  JOIN payload p ON p.payload_id = v.payload_id
  WHERE l.purchase_at IS NOT NULL
) r
WHERE r.line_id = projection_line.line_id AND r.place = 1;
