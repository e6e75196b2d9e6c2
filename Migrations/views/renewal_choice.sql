-- Rules §5 and §7: which version of the renewal info speaks for a line.
--
-- lapsed_version_id, renewal(T) of a lapsed line whose head expires at E:
--   1. of those with E <= evidence_at <= T the last; 2. else of those after T the first; 3. else, before E, the last.
-- latest_version_id, for will_renew and next_product_id: the last with evidence_at <= T.
-- Ties: the one about the head's product, then the stronger source, then the greater digest.
CREATE VIEW renewal_choice AS
SELECT
  as_of, known_at, line_id,
  MAX(CASE WHEN lapsed_place = 1 THEN version_id END) AS lapsed_version_id,
  MAX(CASE WHEN latest_place = 1 AND evidence_at <= as_of THEN version_id END) AS latest_version_id
FROM (
  SELECT
    as_of, known_at, line_id, version_id, evidence_at,
    ROW_NUMBER() OVER (
      PARTITION BY as_of, known_at, line_id
      ORDER BY
        CASE WHEN evidence_at < expires_at THEN 3 WHEN evidence_at <= as_of THEN 1 ELSE 2 END,
        CASE WHEN evidence_at > as_of THEN evidence_at ELSE -evidence_at END,
        is_of_other_product, source_rank, digest DESC, payload_digest DESC
    ) AS lapsed_place,
    ROW_NUMBER() OVER (
      PARTITION BY as_of, known_at, line_id
      ORDER BY
        CASE WHEN evidence_at <= as_of THEN 0 ELSE 1 END,
        -evidence_at,
        is_of_other_product, source_rank, digest DESC, payload_digest DESC
    ) AS latest_place
  FROM (
    SELECT
      c.as_of, c.known_at, c.line_id, c.version_id, c.evidence_at, h.expires_at, v.source_rank,
      CASE WHEN s.product_id = h.product_id THEN 0 ELSE 1 END AS is_of_other_product,
      w.digest, p.digest AS payload_digest
    FROM line_head h
    JOIN renewal_candidate c ON c.as_of = h.as_of AND c.known_at = h.known_at AND c.line_id = h.line_id
    JOIN renewal_version v ON v.version_id = c.version_id
    JOIN renewal_statement s ON s.statement_id = v.statement_id
    JOIN statement w ON w.statement_id = v.statement_id
    JOIN payload p ON p.payload_id = v.payload_id
  ) candidate
) ranked
GROUP BY as_of, known_at, line_id;
