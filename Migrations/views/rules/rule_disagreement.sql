-- Rules §8: the statuses from Apple that differ from the state by the rules. None are expected.
--
-- compared_at is the instant of comparison: the claim's evidence_at or, if it is later, the purchase_at of the
-- transaction that came with it. status is Apple's: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
--
-- Two exceptions. A claim of revoked that Apple later took back is not a disagreement: then a version of the deciding
-- transaction has both revoked_at and evidence_at at or before compared_at. Where several transactions cover the period,
-- each of them has such a version. And Apple may state something newer between the claim and compared_at: then a version
-- of the deciding transaction, or of the one in the claim's payload, has its evidence_at between them.
-- @integer compared_at
CREATE VIEW rule_disagreement AS
SELECT
  s.environment, s.original_transaction_id, c.status, s.state, s.rule, c.compared_at, c.evidence_at, c.as_of,
  c.known_at, c.original_transaction_key, s.version_id, c.claim_id
FROM (
  SELECT
    a.as_of, a.known_at, a.original_transaction_key, c.claim_id, c.payload_id, c.status, c.evidence_at,
    CASE WHEN c.purchase_at > c.evidence_at THEN c.purchase_at ELSE c.evidence_at END AS compared_at
  FROM param_scope a
  CROSS JOIN stg_status_claim c
  WHERE c.original_transaction_key = a.original_transaction_key AND c.recorded_at <= a.known_at
) c
JOIN state_history s
  ON s.known_at = c.known_at AND s.original_transaction_key = c.original_transaction_key
  AND s.begins_at <= c.compared_at AND COALESCE(s.ends_at, 9223372036854775807) > c.compared_at
WHERE c.compared_at <= c.as_of
  AND c.status <> CASE s.state
    WHEN 'active' THEN 1 WHEN 'expired' THEN 2 WHEN 'billing_retry' THEN 3 WHEN 'grace_period' THEN 4 ELSE 5
  END
  AND NOT (
    c.status = 5 AND EXISTS (
      SELECT 1
      FROM transaction_version h
      JOIN stg_transaction_version v
        ON v.original_transaction_key = h.original_transaction_key AND v.transaction_key = h.transaction_key
      JOIN transaction_info i ON i.transaction_info_id = v.transaction_info_id
      WHERE h.version_id = s.version_id AND i.revoked_at <= c.compared_at AND v.evidence_at <= c.compared_at
        AND v.recorded_at <= c.known_at
    )
    AND NOT EXISTS (
      SELECT 1
      FROM int_seat_standing m
      WHERE m.known_at = c.known_at AND m.original_transaction_key = c.original_transaction_key
        AND m.decides_at <= c.compared_at AND COALESCE(m.succeeded_at, 9223372036854775807) > c.compared_at
        AND (m.first_revoked_at IS NULL OR m.first_revoked_at > c.compared_at)
    )
  )
  AND NOT (
    c.compared_at > c.evidence_at AND EXISTS (
      SELECT 1
      FROM transaction_version h
      JOIN stg_transaction_version v
        ON v.original_transaction_key = h.original_transaction_key AND v.transaction_key = h.transaction_key
      WHERE h.original_transaction_key = c.original_transaction_key
        AND (h.version_id = s.version_id OR h.payload_id = c.payload_id)
        AND v.evidence_at > c.evidence_at AND v.evidence_at <= c.compared_at AND v.recorded_at <= c.known_at
    )
  );
