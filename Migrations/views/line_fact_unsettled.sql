-- What the rules look at, for the questions that a line's one kept row does not answer. Rules §5 and §7: which version of
-- the renewal info speaks.
--
-- lapsed_version_id, renewal(T) of a lapsed line whose head expires at E:
--   1. of those with E <= evidence_at <= T the last; 2. else of those after T the first; 3. else, before E, the last.
-- latest_version_id, for will_renew and next_product_id: the last with evidence_at <= T.
-- Ties: the one about the head's product, then the stronger source, then the greater digest.
CREATE VIEW line_fact_unsettled AS
WITH head AS (SELECT * FROM line_head),
heard AS (
  SELECT
    as_of, known_at, line_id, is_kept, latest_at,
    COALESCE(since_end, after_then, before_end, between_then_and_end) AS lapsed_at
  FROM (
    SELECT
      a.as_of, a.known_at, a.line_id, 1 AS is_kept,
      MAX(CASE WHEN r.evidence_at <= a.as_of THEN r.evidence_at END) AS latest_at,
      MAX(CASE WHEN r.evidence_at >= h.expires_at AND r.evidence_at <= a.as_of THEN r.evidence_at END) AS since_end,
      MIN(CASE WHEN r.evidence_at >= h.expires_at AND r.evidence_at > a.as_of THEN r.evidence_at END) AS after_then,
      MAX(CASE WHEN r.evidence_at < h.expires_at AND r.evidence_at <= a.as_of THEN r.evidence_at END) AS before_end,
      MIN(CASE WHEN r.evidence_at < h.expires_at AND r.evidence_at > a.as_of THEN r.evidence_at END)
        AS between_then_and_end
    FROM asked_unsettled a
    CROSS JOIN line_kept l
    CROSS JOIN head h
    CROSS JOIN projection_renewal r
    WHERE l.line_id = a.line_id AND h.as_of = a.as_of AND h.known_at = a.known_at AND h.line_id = a.line_id
      AND r.line_id = a.line_id AND r.recorded_at <= a.known_at
    GROUP BY a.as_of, a.known_at, a.line_id
    UNION ALL
    SELECT
      h.as_of, h.known_at, h.line_id, 0,
      MAX(CASE WHEN r.evidence_at <= h.as_of THEN r.evidence_at END),
      MAX(CASE WHEN r.evidence_at >= h.expires_at AND r.evidence_at <= h.as_of THEN r.evidence_at END),
      MIN(CASE WHEN r.evidence_at >= h.expires_at AND r.evidence_at > h.as_of THEN r.evidence_at END),
      MAX(CASE WHEN r.evidence_at < h.expires_at AND r.evidence_at <= h.as_of THEN r.evidence_at END),
      MIN(CASE WHEN r.evidence_at < h.expires_at AND r.evidence_at > h.as_of THEN r.evidence_at END)
    FROM head h
    JOIN renewal_derived r ON r.as_of = h.as_of AND r.known_at = h.known_at AND r.line_id = h.line_id
    GROUP BY h.as_of, h.known_at, h.line_id
  ) instant
),
candidate AS (
  SELECT
    c.*, COUNT(*) OVER (PARTITION BY as_of, known_at, line_id, evidence_at) AS candidate_count
  FROM (
    SELECT i.as_of, i.known_at, i.line_id, i.lapsed_at, i.latest_at, r.version_id, r.evidence_at
    FROM heard i
    CROSS JOIN projection_renewal r
    WHERE i.is_kept = 1 AND r.line_id = i.line_id AND r.evidence_at IN (i.lapsed_at, i.latest_at)
      AND r.recorded_at <= i.known_at
    UNION ALL
    SELECT i.as_of, i.known_at, i.line_id, i.lapsed_at, i.latest_at, r.version_id, r.evidence_at
    FROM heard i
    JOIN renewal_derived r ON r.as_of = i.as_of AND r.known_at = i.known_at AND r.line_id = i.line_id
    WHERE i.is_kept = 0 AND r.evidence_at IN (i.lapsed_at, i.latest_at)
  ) c
),
choice AS (
  SELECT
    as_of, known_at, line_id,
    MAX(CASE WHEN evidence_at = lapsed_at THEN version_id END) AS lapsed_version_id,
    MAX(CASE WHEN evidence_at = latest_at THEN version_id END) AS latest_version_id
  FROM (
    SELECT
      c.*,
      ROW_NUMBER() OVER (
        PARTITION BY c.as_of, c.known_at, c.line_id, c.evidence_at
        ORDER BY
          CASE WHEN s.product_id = h.product_id THEN 0 ELSE 1 END, v.source_rank, w.digest DESC, p.digest DESC
      ) AS place
    FROM candidate c
    -- Only equals need to be told apart.
    LEFT JOIN renewal_version v ON v.version_id = CASE WHEN c.candidate_count > 1 THEN c.version_id END
    LEFT JOIN renewal_statement s ON s.statement_id = v.statement_id
    LEFT JOIN statement w ON w.statement_id = v.statement_id
    LEFT JOIN payload p ON p.payload_id = v.payload_id
    LEFT JOIN head h ON h.as_of = c.as_of AND h.known_at = c.known_at AND h.line_id = c.line_id
  ) ranked
  WHERE place = 1
  GROUP BY as_of, known_at, line_id
)
SELECT
  h.as_of, h.known_at, h.line_id, h.version_id, h.transaction_key, h.evidence_at AS head_evidence_at,
  h.product_id, h.purchase_at, h.expires_at, h.revoked_at, h.is_upgraded, e.evidence_at,
  c.lapsed_version_id, g.grace_period_expires_at, g.is_in_billing_retry_period, g.expiration_intent,
  g.auto_renew_status AS lapsed_auto_renew_status,
  CASE WHEN gv.source_rank = 1 THEN gv.signed_at END AS renewal_signed_at,
  c.latest_version_id, n.auto_renew_status, n.auto_renew_product_id, e.sound_evidence_at,
  CASE WHEN d.version_id IS NULL THEN 0 ELSE 1 END AS is_contradicted
FROM head h
LEFT JOIN line_evidence e ON e.as_of = h.as_of AND e.known_at = h.known_at AND e.line_id = h.line_id
LEFT JOIN choice c ON c.as_of = h.as_of AND c.known_at = h.known_at AND c.line_id = h.line_id
LEFT JOIN renewal_version gv ON gv.version_id = c.lapsed_version_id
LEFT JOIN renewal_statement g ON g.statement_id = gv.statement_id
LEFT JOIN renewal_version nv ON nv.version_id = c.latest_version_id
LEFT JOIN renewal_statement n ON n.statement_id = nv.statement_id
LEFT JOIN version_contradicted d
  ON d.known_at = h.known_at AND d.line_id = h.line_id AND d.version_id = h.version_id;
