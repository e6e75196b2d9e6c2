-- The input of the rules for the query scope that projection_original_transaction does not answer.
--
-- deciding_renewal_info_version_id is renewal(T) of rules §5. E is expires_at of the deciding transaction:
--   1. the last version with E <= evidence_at <= T
--   2. else the first version after T with evidence_at >= E
--   3. else the last version with evidence_at < E
--
-- latest_renewal_info_version_id is the last version with evidence_at <= T. It states will_renew and next_product_id
-- (rules §7).
--
-- Ties: the version for the product of the deciding transaction, then the stronger source, then the greater digest.
CREATE VIEW rule_input_derived AS
WITH deciding AS (SELECT * FROM rule_deciding_transaction),
renewal_instant AS (
  SELECT
    as_of, known_at, original_transaction_key, is_projected, latest_at,
    COALESCE(since_end, after_then, before_end, between_then_and_end) AS deciding_at
  FROM (
    SELECT
      a.as_of, a.known_at, a.original_transaction_key, 1 AS is_projected,
      MAX(CASE WHEN r.evidence_at <= a.as_of THEN r.evidence_at END) AS latest_at,
      MAX(CASE WHEN r.evidence_at >= h.expires_at AND r.evidence_at <= a.as_of THEN r.evidence_at END) AS since_end,
      MIN(CASE WHEN r.evidence_at >= h.expires_at AND r.evidence_at > a.as_of THEN r.evidence_at END) AS after_then,
      MAX(CASE WHEN r.evidence_at < h.expires_at AND r.evidence_at <= a.as_of THEN r.evidence_at END) AS before_end,
      MIN(CASE WHEN r.evidence_at < h.expires_at AND r.evidence_at > a.as_of THEN r.evidence_at END)
        AS between_then_and_end
    FROM int_scope_derived a
    CROSS JOIN stg_projection l
    CROSS JOIN deciding h
    CROSS JOIN projection_renewal_info r
    WHERE l.original_transaction_key = a.original_transaction_key AND h.as_of = a.as_of AND h.known_at = a.known_at
      AND h.original_transaction_key = a.original_transaction_key
      AND r.original_transaction_key = a.original_transaction_key AND r.recorded_at <= a.known_at
    GROUP BY a.as_of, a.known_at, a.original_transaction_key
    UNION ALL
    SELECT
      h.as_of, h.known_at, h.original_transaction_key, 0,
      MAX(CASE WHEN r.evidence_at <= h.as_of THEN r.evidence_at END),
      MAX(CASE WHEN r.evidence_at >= h.expires_at AND r.evidence_at <= h.as_of THEN r.evidence_at END),
      MIN(CASE WHEN r.evidence_at >= h.expires_at AND r.evidence_at > h.as_of THEN r.evidence_at END),
      MAX(CASE WHEN r.evidence_at < h.expires_at AND r.evidence_at <= h.as_of THEN r.evidence_at END),
      MIN(CASE WHEN r.evidence_at < h.expires_at AND r.evidence_at > h.as_of THEN r.evidence_at END)
    FROM deciding h
    JOIN int_known_renewal_info_version r ON r.as_of = h.as_of AND r.known_at = h.known_at
    AND r.original_transaction_key = h.original_transaction_key
    GROUP BY h.as_of, h.known_at, h.original_transaction_key
  ) instant
),
candidate AS (
  SELECT
    c.*, COUNT(*) OVER (PARTITION BY as_of, known_at, original_transaction_key, evidence_at) AS candidate_count
  FROM (
    SELECT i.as_of, i.known_at, i.original_transaction_key, i.deciding_at, i.latest_at, r.version_id, r.evidence_at
    FROM renewal_instant i
    CROSS JOIN projection_renewal_info r
    WHERE i.is_projected = 1 AND r.original_transaction_key = i.original_transaction_key
      AND r.evidence_at IN (i.deciding_at, i.latest_at)
      AND r.recorded_at <= i.known_at
    UNION ALL
    SELECT i.as_of, i.known_at, i.original_transaction_key, i.deciding_at, i.latest_at, r.version_id, r.evidence_at
    FROM renewal_instant i
    JOIN int_known_renewal_info_version r ON r.as_of = i.as_of AND r.known_at = i.known_at
    AND r.original_transaction_key = i.original_transaction_key
    WHERE i.is_projected = 0 AND r.evidence_at IN (i.deciding_at, i.latest_at)
  ) c
),
choice AS (
  SELECT
    as_of, known_at, original_transaction_key,
    MAX(CASE WHEN evidence_at = deciding_at THEN version_id END) AS deciding_renewal_info_version_id,
    MAX(CASE WHEN evidence_at = latest_at THEN version_id END) AS latest_renewal_info_version_id
  FROM (
    SELECT
      c.*,
      ROW_NUMBER() OVER (
        PARTITION BY c.as_of, c.known_at, c.original_transaction_key, c.evidence_at
        ORDER BY
          CASE WHEN s.product_id = h.product_id THEN 0 ELSE 1 END, v.source_rank, s.digest DESC, p.digest DESC
      ) AS row_rank
    FROM candidate c
    -- Only versions with the same evidence_at need this order.
    LEFT JOIN renewal_info_version v ON v.version_id = CASE WHEN c.candidate_count > 1 THEN c.version_id END
    LEFT JOIN renewal_info s ON s.renewal_info_id = v.renewal_info_id
    LEFT JOIN payload p ON p.payload_id = v.payload_id
    LEFT JOIN deciding h ON h.as_of = c.as_of AND h.known_at = c.known_at
    AND h.original_transaction_key = c.original_transaction_key
  ) ranked
  WHERE row_rank = 1
  GROUP BY as_of, known_at, original_transaction_key
)
SELECT
  h.as_of, h.known_at, h.original_transaction_key, h.version_id, h.transaction_key,
  h.evidence_at AS deciding_evidence_at,
  h.product_id, h.purchase_at, h.expires_at, h.revoked_at, h.is_upgraded, e.evidence_at,
  c.deciding_renewal_info_version_id, g.grace_period_expires_at, g.is_in_billing_retry_period, g.expiration_intent,
  g.auto_renew_status AS deciding_auto_renew_status,
  CASE WHEN gv.source_rank = 1 THEN gv.signed_at END AS renewal_signed_at,
  c.latest_renewal_info_version_id, n.auto_renew_status, n.auto_renew_product_id, e.uncontradicted_evidence_at,
  CASE WHEN d.version_id IS NULL THEN 0 ELSE 1 END AS is_contradicted
FROM deciding h
LEFT JOIN int_last_evidence_derived e ON e.as_of = h.as_of AND e.known_at = h.known_at
AND e.original_transaction_key = h.original_transaction_key
LEFT JOIN choice c ON c.as_of = h.as_of AND c.known_at = h.known_at
AND c.original_transaction_key = h.original_transaction_key
LEFT JOIN renewal_info_version gv ON gv.version_id = c.deciding_renewal_info_version_id
LEFT JOIN renewal_info g ON g.renewal_info_id = gv.renewal_info_id
LEFT JOIN renewal_info_version nv ON nv.version_id = c.latest_renewal_info_version_id
LEFT JOIN renewal_info n ON n.renewal_info_id = nv.renewal_info_id
LEFT JOIN int_contradicted_version d
  ON d.known_at = h.known_at AND d.original_transaction_key = h.original_transaction_key
  AND d.version_id = h.version_id;
