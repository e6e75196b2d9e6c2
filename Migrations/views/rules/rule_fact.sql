-- The facts of a line as the rules need them. E is expires_at; T is as_of.
CREATE VIEW rule_fact AS
SELECT
  as_of, known_at, original_transaction_key, version_id, transaction_key, product_id, purchase_at, expires_at,
  revoked_at, is_upgraded,
  -- Rules §4: an upgraded head ends at revoked_at, else when it was said to be upgraded, and never after E.
  CASE
    WHEN COALESCE(revoked_at, deciding_evidence_at) < expires_at THEN COALESCE(revoked_at, deciding_evidence_at)
    ELSE expires_at
  END AS superseded_at,
  -- (While T < E a grace period is not to be spoken of, though one may be known in hindsight.)
  CASE WHEN grace_period_expires_at > expires_at AND expires_at <= as_of THEN grace_period_expires_at END
    AS grace_period_expires_at,
  COALESCE(is_in_billing_retry_period, 0) AS is_in_billing_retry_period,
  expiration_intent, deciding_renewal_info_version_id, latest_renewal_info_version_id, auto_renew_status,
  auto_renew_product_id, evidence_at,
  -- Rules §6: whether the head rests on payloads that contradict themselves, and on no other.
  is_contradicted,
  -- And whether anything has been heard since E, but from those.
  CASE WHEN uncontradicted_evidence_at >= expires_at THEN 1 ELSE 0 END AS has_later_evidence,
  -- And whether what was heard says that the line goes on: renewal info signed since E that names no reason for an end,
  -- with renewal on, or beside a refund that came after E. It came with word of an earlier transaction, and the ledger
  -- was not told of the one that runs. (Receipts show every transaction, so theirs hides none.)
  CASE
    WHEN renewal_signed_at >= expires_at AND renewal_signed_at <= as_of
      AND (deciding_auto_renew_status = 1 OR revoked_at >= expires_at) AND expiration_intent IS NULL
      AND COALESCE(is_in_billing_retry_period, 0) = 0
    THEN 1
    ELSE 0
  END AS implies_renewal
FROM rule_input;
