-- The customers that each original transaction belongs to. The last staff entry about a customer and an original
-- transaction decides. Without an entry, it belongs to its account token. A token that is linked to a customer stands
-- for that customer only.
--
-- Several customers may claim one original transaction. Then each of them has a row, and claimant_count is their
-- number.
CREATE VIEW customer_original_transaction AS
SELECT
  c.customer, l.environment, l.original_transaction_id, 'link' AS basis, c.identifier, c.reason, c.author,
  c.entered_at AS claimed_at,
  COALESCE((
    SELECT SUM(1) FROM int_customer_link y
    WHERE y.as_of = c.as_of AND y.known_at = c.known_at AND y.original_transaction_key = c.original_transaction_key
  ), 0) + COALESCE((
    SELECT SUM(1) FROM int_customer_token y
    WHERE y.as_of = c.as_of AND y.known_at = c.known_at AND y.original_transaction_key = c.original_transaction_key
  ), 0) AS claimant_count,
  c.as_of, c.known_at, c.original_transaction_key
FROM int_customer_link c
JOIN original_transaction l ON l.original_transaction_key = c.original_transaction_key
UNION ALL
SELECT
  c.customer, l.environment, l.original_transaction_id, 'app_account_token', c.customer, NULL, NULL, NULL,
  COALESCE((
    SELECT SUM(1) FROM int_customer_link y
    WHERE y.as_of = c.as_of AND y.known_at = c.known_at AND y.original_transaction_key = c.original_transaction_key
  ), 0) + COALESCE((
    SELECT SUM(1) FROM int_customer_token y
    WHERE y.as_of = c.as_of AND y.known_at = c.known_at AND y.original_transaction_key = c.original_transaction_key
  ), 0),
  c.as_of, c.known_at, c.original_transaction_key
FROM int_customer_token c
JOIN original_transaction l ON l.original_transaction_key = c.original_transaction_key;
