-- The original transactions that are linked to a customer: the last entry about both of them links them.
CREATE VIEW int_customer_link AS
SELECT
  x.as_of, x.known_at, x.original_transaction_key, x.customer, x.identifier, x.reason, x.author, x.entered_at
FROM int_customer_link_entry x
WHERE x.action = 'link'
  AND NOT EXISTS (
    SELECT 1 FROM int_customer_link_entry y
    WHERE y.as_of = x.as_of AND y.known_at = x.known_at AND y.original_transaction_key = x.original_transaction_key
      AND y.customer = x.customer AND y.entry_id > x.entry_id
  );
