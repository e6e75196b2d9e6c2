-- Rules §2: the order of a transaction's versions. The first criterion that differs decides:
--   1. the greater evidence_at
--   2. the stronger source
--   3. revoked before not revoked
--   4. one that states why there is another transaction in its period
--   5. the greater expires_at
--   6. the greater content digest
-- Two payloads may contain the same object. The payload's digest comes last, so that only one of them decides.
--
-- A version is current from its own recorded_at until a version before it in this order is recorded. known_until is
-- NULL when no such version was recorded. Versions that were never current are left out. projection_transaction stores
-- these rows.
-- @key original_transaction_key, transaction_key, known_from
CREATE VIEW int_transaction_version_interval AS
SELECT
  original_transaction_key, transaction_key, recorded_at AS known_from, beaten_at AS known_until, version_id,
  evidence_at, source_rank, purchase_at, expires_at, revoked_at, is_upgraded
FROM (
  SELECT
    v.original_transaction_key, v.transaction_key, v.version_id, v.source_rank, v.recorded_at, v.evidence_at,
    s.purchase_at, s.expires_at, s.revoked_at, s.is_upgraded,
    MIN(v.recorded_at) OVER (
      PARTITION BY v.transaction_key
      ORDER BY
        v.evidence_at DESC,
        v.source_rank,
        CASE WHEN s.revoked_at IS NULL THEN 1 ELSE 0 END,
        CASE WHEN x.additional_transaction_reason IS NULL THEN 1 ELSE 0 END,
        COALESCE(s.expires_at, -1) DESC,
        s.digest DESC,
        v.payload_digest DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS beaten_at
  FROM param_subscription a
  CROSS JOIN stg_transaction_version v
  CROSS JOIN transaction_info s
  LEFT JOIN transaction_seat_info x ON x.transaction_info_id = s.transaction_info_id
  WHERE v.original_transaction_key = a.original_transaction_key AND s.transaction_info_id = v.transaction_info_id
) ordered
WHERE beaten_at IS NULL OR beaten_at > recorded_at;
