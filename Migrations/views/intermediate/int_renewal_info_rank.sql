-- The order of renewal info versions that have the same evidence_at (rules §5, ties), as they were known. Other versions
-- have no row, because most of them need no order.
-- @integer row_rank
CREATE VIEW int_renewal_info_rank AS
SELECT
  a.known_at, r.original_transaction_key, r.version_id,
  ROW_NUMBER() OVER (
    PARTITION BY a.known_at, r.original_transaction_key, r.evidence_at
    ORDER BY v.source_rank, s.digest DESC, p.digest DESC
  ) AS row_rank
FROM int_scope_known a
CROSS JOIN projection_renewal_info r
JOIN renewal_info_version v ON v.version_id = r.version_id
JOIN renewal_info s ON s.renewal_info_id = v.renewal_info_id
JOIN payload p ON p.payload_id = v.payload_id
WHERE r.original_transaction_key = a.original_transaction_key AND r.recorded_at <= a.known_at
  AND EXISTS (
    SELECT 1
    FROM projection_renewal_info o
    WHERE o.original_transaction_key = r.original_transaction_key AND o.evidence_at = r.evidence_at
      AND o.version_id <> r.version_id AND o.recorded_at <= a.known_at
  );
