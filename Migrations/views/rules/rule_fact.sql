-- The facts about a subscription that rules §4 to §6 compare. E is expires_at. T is as_of.
-- @integer superseded_at, has_later_evidence, implies_renewal
CREATE VIEW rule_fact AS
SELECT
  as_of, known_at, original_transaction_key, change_number, version_id, transaction_key, product_id, purchase_at,
  expires_at, revoked_at, is_upgraded, superseded_at, seats, is_incomplete, renewal_quantity,
  -- While T < E, no grace period counts, even when later evidence states one.
  CASE WHEN grace_period_expires_at > expires_at AND expires_at <= as_of THEN grace_period_expires_at END
    AS grace_period_expires_at,
  COALESCE(is_in_billing_retry_period, 0) AS is_in_billing_retry_period,
  expiration_intent, deciding_renewal_info_version_id, latest_renewal_info_version_id, auto_renew_status,
  auto_renew_product_id, evidence_at,
  is_contradicted,
  -- Rules §6: 1 when evidence of any kind has evidence_at >= E. Contradictory payloads and receipts of devices do not
  -- count.
  CASE WHEN confirming_evidence_at >= expires_at THEN 1 ELSE 0 END AS has_later_evidence,
  -- Rules §6: 1 when the deciding renewal info implies a renewal whose transaction the ledger never received. Apple
  -- signed the renewal info at or after E, and at or before T. It has no expiration_intent and is not in billing retry.
  -- Auto-renew is on, or revoked_at >= E. Renewal info from a receipt does not count, because a receipt lists every
  -- transaction.
  CASE
    WHEN renewal_signed_at >= expires_at AND renewal_signed_at <= as_of
      AND (deciding_auto_renew_status = 1 OR revoked_at >= expires_at) AND expiration_intent IS NULL
      AND COALESCE(is_in_billing_retry_period, 0) = 0
    THEN 1
    ELSE 0
  END AS implies_renewal
FROM rule_input;
