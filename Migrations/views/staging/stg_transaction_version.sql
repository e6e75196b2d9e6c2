-- Every version, with when Apple stated it (rules §1) and when the ledger recorded it. A signed version has the instant
-- of its own signature, and another one that of its payload. payload_digest is the payload's.
--
-- stg_renewal_info_version and stg_status_claim are this text over the tables of their names.
CREATE VIEW stg_transaction_version AS
SELECT
  v.*, COALESCE(v.signed_at, i.evidence_at) AS evidence_at, i.recorded_at,
  CASE WHEN v.signed_at IS NULL THEN i.is_inferred ELSE 0 END AS is_inferred, i.is_contradictory,
  i.is_device_receipt, i.trust_level, i.digest AS payload_digest
FROM transaction_version v
CROSS JOIN stg_payload i
WHERE i.payload_id = v.payload_id;
