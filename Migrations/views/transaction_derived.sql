-- Rules §2: the current version of a transaction is, among those known, the last by
--   1. evidence_at, 2. strength of source, 3. revoked before not revoked, 4. expires_at, 5. content digest.
-- (The payload's digest comes last, so that equal words from two payloads have one deciding payload.)
CREATE VIEW transaction_derived AS
SELECT
  as_of, known_at, line_id, transaction_key, version_id, evidence_at, source_rank,
  product_id, purchase_at, expires_at, revoked_at, is_upgraded
FROM (
  SELECT
    a.as_of, a.known_at, v.line_id, v.transaction_key, v.version_id, v.source_rank,
    COALESCE(v.signed_at, i.evidence_at) AS evidence_at,
    s.product_id, s.purchase_at, s.expires_at, s.revoked_at, s.is_upgraded,
    ROW_NUMBER() OVER (
      PARTITION BY a.as_of, a.known_at, v.transaction_key
      ORDER BY
        COALESCE(v.signed_at, i.evidence_at) DESC,
        v.source_rank,
        CASE WHEN s.revoked_at IS NULL THEN 1 ELSE 0 END,
        COALESCE(s.expires_at, -1) DESC,
        c.digest DESC,
        i.digest DESC
    ) AS place
  FROM asked_generally a
  CROSS JOIN transaction_version v
  CROSS JOIN payload_instant i
  CROSS JOIN transaction_statement s
  CROSS JOIN statement c
  WHERE v.line_id = a.line_id
    AND i.payload_id = v.payload_id
    AND i.recorded_at <= a.known_at
    AND s.statement_id = v.statement_id
    AND c.statement_id = v.statement_id
) ranked
WHERE place = 1;
