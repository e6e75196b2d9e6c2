-- The refunds that Apple reversed later, one row for each: an earlier version of the transaction was revoked at another
-- instant than the current one, and a version between them was not revoked. A transaction can be refunded again.
-- reversed_at is when Apple first stated it without this refund.
-- @integer refunded_share, reversed_at
CREATE VIEW int_reversed_refund AS
SELECT
  r.known_at, r.original_transaction_key, r.transaction_key, r.revoked_at, MAX(r.refunded_share) AS refunded_share,
  MIN(w.evidence_at) AS reversed_at
FROM (
  SELECT
    t.known_at, t.original_transaction_key, t.transaction_key, s.revoked_at,
    MAX(COALESCE(s.revocation_percentage, 100000)) AS refunded_share
  FROM int_current_transaction_version t
  JOIN stg_transaction_version v
    ON v.original_transaction_key = t.original_transaction_key AND v.transaction_key = t.transaction_key
  JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
  WHERE t.is_upgraded = 0 AND s.is_upgraded = 0 AND s.revoked_at IS NOT NULL AND v.recorded_at <= t.known_at
    AND (t.revoked_at IS NULL OR t.revoked_at <> s.revoked_at)
  GROUP BY t.known_at, t.original_transaction_key, t.transaction_key, s.revoked_at
) r
JOIN stg_transaction_version w
  ON w.original_transaction_key = r.original_transaction_key AND w.transaction_key = r.transaction_key
JOIN transaction_info x ON x.transaction_info_id = w.transaction_info_id
WHERE w.recorded_at <= r.known_at AND x.revoked_at IS NULL AND w.evidence_at > r.revoked_at
GROUP BY r.known_at, r.original_transaction_key, r.transaction_key, r.revoked_at;
