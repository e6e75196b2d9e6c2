-- The input of the rules for the query scope that projection_original_transaction does not answer.
--
-- deciding_renewal_info_version_id is renewal(T) of rules §5. E is expires_at of the deciding transaction:
--   1. the last version with E <= evidence_at <= T
--   2. else the first version after T (and so with evidence_at >= E, because renewal(T) is for T >= E)
--   3. else the last version with evidence_at < E
-- While T < E, no rule reads it.
--
-- latest_renewal_info_version_id is the last version with evidence_at <= T. It states will_renew and next_product_id
-- (rules §7).
--
-- Ties: the version for the product of the deciding transaction, then the order of int_renewal_info_history.
CREATE VIEW rule_input_derived AS
WITH info AS (SELECT * FROM int_renewal_info_candidate),
first_of_product AS (
  SELECT known_at, original_transaction_key, evidence_at, product_id, MIN(row_rank) AS row_rank
  FROM info
  WHERE version_count > 1
  GROUP BY known_at, original_transaction_key, evidence_at, product_id
)
SELECT
  p.as_of, p.known_at, p.original_transaction_key, o.environment, o.original_transaction_id, p.version_id,
  p.transaction_key, p.deciding_evidence_at,
  p.product_id, p.purchase_at, p.expires_at, p.revoked_at, p.is_upgraded, p.evidence_at,
  g.version_id AS deciding_renewal_info_version_id, g.grace_period_expires_at, g.is_in_billing_retry_period,
  g.expiration_intent, g.auto_renew_status AS deciding_auto_renew_status, g.signed_at AS renewal_signed_at,
  n.version_id AS latest_renewal_info_version_id, n.auto_renew_status, n.auto_renew_product_id,
  p.uncontradicted_evidence_at, CASE WHEN d.version_id IS NULL THEN 0 ELSE 1 END AS is_contradicted
FROM (
  SELECT i.*, CASE WHEN last_at >= expires_at THEN last_at ELSE COALESCE(next_at, last_at) END AS deciding_at
  FROM int_decision_instant i
) p
JOIN original_transaction o ON o.original_transaction_key = p.original_transaction_key
LEFT JOIN int_contradicted_version d
  ON d.known_at = p.known_at AND d.original_transaction_key = p.original_transaction_key
  AND d.version_id = p.version_id
-- The deciding renewal info.
LEFT JOIN first_of_product gp
  ON gp.known_at = p.known_at AND gp.original_transaction_key = p.original_transaction_key
  AND gp.evidence_at = p.deciding_at AND gp.product_id = p.product_id
LEFT JOIN info g
  ON g.known_at = p.known_at AND g.original_transaction_key = p.original_transaction_key
  AND g.evidence_at = p.deciding_at AND g.row_rank = COALESCE(gp.row_rank, 1)
-- The latest renewal info.
LEFT JOIN first_of_product np
  ON np.known_at = p.known_at AND np.original_transaction_key = p.original_transaction_key
  AND np.evidence_at = p.last_at AND np.product_id = p.product_id
LEFT JOIN info n
  ON n.known_at = p.known_at AND n.original_transaction_key = p.original_transaction_key
  AND n.evidence_at = p.last_at AND n.row_rank = COALESCE(np.row_rank, 1);
