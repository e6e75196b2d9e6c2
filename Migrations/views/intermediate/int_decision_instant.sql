-- What rule_input_derived knows before it chooses renewal info: the deciding transaction, the newest evidence, and when
-- Apple stated renewal info before and after T.
CREATE VIEW int_decision_instant AS
SELECT
  h.as_of, h.known_at, h.original_transaction_key, h.version_id, h.transaction_key,
  h.evidence_at AS deciding_evidence_at, h.product_id, h.purchase_at, h.expires_at, h.revoked_at, h.is_upgraded,
  e.evidence_at, e.uncontradicted_evidence_at, r.last_at, r.next_at
FROM rule_deciding_transaction h
LEFT JOIN int_last_evidence_derived e
  ON e.as_of = h.as_of AND e.known_at = h.known_at AND e.original_transaction_key = h.original_transaction_key
LEFT JOIN int_renewal_info_around r
  ON r.as_of = h.as_of AND r.known_at = h.known_at AND r.original_transaction_key = h.original_transaction_key;
