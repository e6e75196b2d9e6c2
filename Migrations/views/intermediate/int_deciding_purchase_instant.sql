-- The purchase_at of the deciding transaction (rules §3): the greatest one at or before T of a transaction that
-- expires. A copy (expires_at <= purchase_at) counts only in a subscription that contains nothing else, before or after
-- T.
CREATE VIEW int_deciding_purchase_instant AS
SELECT
  as_of, known_at, original_transaction_key, is_projected, CASE WHEN has_originals = 1 THEN 0 ELSE 1 END AS is_copy,
  CASE WHEN has_originals = 1 THEN original_at ELSE copy_at END AS purchase_at
FROM (
  SELECT
    a.as_of, a.known_at, a.original_transaction_key, 1 AS is_projected,
    MAX(CASE WHEN t.expires_at > t.purchase_at THEN 1 ELSE 0 END) AS has_originals,
    MAX(CASE WHEN t.expires_at > t.purchase_at AND t.purchase_at <= a.as_of THEN t.purchase_at END) AS original_at,
    MAX(CASE WHEN t.expires_at <= t.purchase_at AND t.purchase_at <= a.as_of THEN t.purchase_at END) AS copy_at
  FROM int_scope_derived a
  CROSS JOIN stg_projection l
  CROSS JOIN projection_transaction t
  WHERE l.original_transaction_key = a.original_transaction_key
    AND t.original_transaction_key = a.original_transaction_key AND t.known_from <= a.known_at
    AND (t.known_until IS NULL OR t.known_until > a.known_at)
    AND t.expires_at IS NOT NULL
  GROUP BY a.as_of, a.known_at, a.original_transaction_key
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, 0,
    MAX(CASE WHEN expires_at > purchase_at THEN 1 ELSE 0 END),
    MAX(CASE WHEN expires_at > purchase_at AND purchase_at <= as_of THEN purchase_at END),
    MAX(CASE WHEN expires_at <= purchase_at AND purchase_at <= as_of THEN purchase_at END)
  FROM int_derived_transaction_version
  WHERE expires_at IS NOT NULL
  GROUP BY as_of, known_at, original_transaction_key
) purchase
WHERE CASE WHEN has_originals = 1 THEN original_at ELSE copy_at END IS NOT NULL;
