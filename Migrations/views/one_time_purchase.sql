-- Rules §9: what was bought once and does not expire by itself. A non-consumable is active until revoked; so is a
-- non-renewing subscription while no catalogue tells its duration; a consumable grants nothing. The type is the
-- transaction's own, else other evidence's of the same product, else unknown, which grants nothing.
CREATE VIEW one_time_purchase AS
SELECT
  environment, bundle_id, original_transaction_id, transaction_id, product_id, type,
  CASE
    WHEN revoked_at <= as_of THEN 'revoked'
    WHEN type IN ('Non-Consumable', 'Non-Renewing Subscription') THEN 'active'
    WHEN type = 'Consumable' THEN 'consumable'
    ELSE 'unknown'
  END AS state,
  CASE
    WHEN revoked_at <= as_of THEN 0
    WHEN type IN ('Non-Consumable', 'Non-Renewing Subscription') THEN 1
    ELSE 0
  END AS has_access,
  in_app_ownership_type, quantity, purchase_at, revoked_at, evidence_at, as_of, known_at, line_id, version_id
FROM (
  SELECT
    l.environment, COALESCE(s.bundle_id, p.bundle_id) AS bundle_id, l.original_transaction_id, n.transaction_id,
    t.product_id,
    COALESCE(
      s.type,
      (
        SELECT MIN(o.type) FROM transaction_statement o
        WHERE o.product_id = t.product_id AND o.type <> 'Auto-Renewable Subscription'
      ),
      'unknown'
    ) AS type,
    s.in_app_ownership_type, s.quantity, t.purchase_at, t.revoked_at, t.evidence_at, t.as_of, t.known_at, t.line_id,
    t.version_id
  FROM transaction_at t
  JOIN line l ON l.line_id = t.line_id
  JOIN store_transaction n ON n.transaction_key = t.transaction_key
  JOIN transaction_version v ON v.version_id = t.version_id
  JOIN transaction_statement s ON s.statement_id = v.statement_id
  JOIN payload p ON p.payload_id = v.payload_id
  WHERE t.expires_at IS NULL AND t.purchase_at <= t.as_of
) purchase;
