-- The original transactions that belong to their account token, which is then the customer. No customer is linked to
-- this token, and no entry is about the token as a customer.
CREATE VIEW int_customer_token AS
SELECT a.as_of, a.known_at, a.original_transaction_key, i.identifier AS customer
FROM param_scope a
JOIN original_transaction_identifier i ON i.original_transaction_key = a.original_transaction_key
WHERE i.kind = 'app_account_token'
  AND EXISTS (
    SELECT 1 FROM int_known_identifier k
    WHERE k.as_of = a.as_of AND k.known_at = a.known_at AND k.original_transaction_key = a.original_transaction_key
      AND k.identifier = i.identifier AND k.kind = 'app_account_token'
  )
  AND NOT EXISTS (
    SELECT 1 FROM int_linked_identifier e
    WHERE e.as_of = a.as_of AND e.known_at = a.known_at AND e.identifier = i.identifier
  )
  AND NOT EXISTS (
    SELECT 1 FROM int_customer_link_entry x
    WHERE x.as_of = a.as_of AND x.known_at = a.known_at AND x.original_transaction_key = a.original_transaction_key
      AND x.customer = i.identifier
  );
