-- All that the rules look at, side by side: the head, the chosen renewal info, the newest evidence.
-- E is expires_at; T is as_of.
CREATE VIEW entitlement_fact AS
SELECT
  h.as_of, h.known_at, h.line_id, h.version_id, h.transaction_key, h.product_id, h.purchase_at, h.expires_at,
  h.revoked_at, h.is_upgraded,
  -- Rules §4: an upgraded head ends at revoked_at, else when it was said to be upgraded, and never after E.
  CASE
    WHEN COALESCE(h.revoked_at, h.evidence_at) < h.expires_at THEN COALESCE(h.revoked_at, h.evidence_at)
    ELSE h.expires_at
  END AS superseded_at,
  CASE WHEN g.grace_period_expires_at > h.expires_at THEN g.grace_period_expires_at END AS grace_period_expires_at,
  COALESCE(g.is_in_billing_retry_period, 0) AS is_in_billing_retry_period,
  g.expiration_intent,
  c.lapsed_version_id, c.latest_version_id,
  n.auto_renew_status, n.auto_renew_product_id,
  e.evidence_at,
  -- Rules §6: whether anything has been heard since E.
  CASE WHEN e.evidence_at >= h.expires_at THEN 1 ELSE 0 END AS is_heard_of,
  -- And whether what was heard says that the line goes on: renewal info signed since E that names no reason for an end,
  -- with renewal on, or beside a refund that came after E. It came with word of an earlier transaction, and the ledger
  -- was not told of the one that runs. (Receipts show every transaction, so theirs hides none.)
  CASE
    WHEN gv.source_rank = 1 AND gv.signed_at >= h.expires_at AND gv.signed_at <= h.as_of
      AND (g.auto_renew_status = 1 OR h.revoked_at >= h.expires_at) AND g.expiration_intent IS NULL
      AND COALESCE(g.is_in_billing_retry_period, 0) = 0
    THEN 1
    ELSE 0
  END AS goes_on
FROM line_head h
LEFT JOIN line_evidence e ON e.as_of = h.as_of AND e.known_at = h.known_at AND e.line_id = h.line_id
LEFT JOIN renewal_choice c ON c.as_of = h.as_of AND c.known_at = h.known_at AND c.line_id = h.line_id
LEFT JOIN renewal_version gv ON gv.version_id = c.lapsed_version_id
LEFT JOIN renewal_statement g ON g.statement_id = gv.statement_id
LEFT JOIN renewal_version nv ON nv.version_id = c.latest_version_id
LEFT JOIN renewal_statement n ON n.statement_id = nv.statement_id;
