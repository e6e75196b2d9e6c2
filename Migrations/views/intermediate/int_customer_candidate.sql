-- Every original transaction that an account token, a staff entry or a seat claim ever connected with a customer. These are only the
-- candidates of a search: customer_original_transaction decides whose each one is. effective_at is the start of an
-- entry's effect, and entered_at is when it was made.
CREATE VIEW int_customer_candidate AS
SELECT
  n.identifier AS customer, n.original_transaction_key, CAST(0 AS BIGINT) AS effective_at,
  CAST(0 AS BIGINT) AS entered_at
FROM original_transaction_identifier n
WHERE n.kind = 'app_account_token'
UNION ALL
SELECT c.customer, x.original_transaction_key, e.effective_at, e.entered_at
FROM customer c
JOIN customer_link_entry e ON e.customer_key = c.customer_key
JOIN customer_link_target x ON x.entry_id = e.entry_id
UNION ALL
SELECT c.customer, s.original_transaction_key, s.claimed_at, s.entered_at
FROM customer c
JOIN seat_claim s ON s.customer_key = c.customer_key;
