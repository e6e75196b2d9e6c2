-- Of each transaction whose current version is a receipt's: the last version that Apple had signed. A receipt names no
-- price, storefront or offer in full; what was said before about them still holds.
CREATE VIEW transaction_signed AS
SELECT as_of, known_at, line_id, transaction_key, statement_id
FROM (
  SELECT
    t.as_of, t.known_at, t.line_id, t.transaction_key, v.statement_id,
    ROW_NUMBER() OVER (
      PARTITION BY t.as_of, t.known_at, t.transaction_key
      ORDER BY COALESCE(v.signed_at, i.evidence_at) DESC, c.digest DESC, i.digest DESC
    ) AS place
  FROM transaction_at t
  CROSS JOIN transaction_version v
  CROSS JOIN payload_instant i
  CROSS JOIN statement c
  WHERE t.source_rank > 1 AND v.line_id = t.line_id AND v.transaction_key = t.transaction_key AND v.source_rank = 1
    AND i.payload_id = v.payload_id AND i.recorded_at <= t.known_at AND c.statement_id = v.statement_id
) said
WHERE place = 1;
