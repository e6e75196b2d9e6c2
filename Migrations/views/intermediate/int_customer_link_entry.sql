-- The staff's link entries that hold, one row for each original transaction that an entry names. An entry may use any
-- of its ids, and counts once evidence that states this id was recorded. An entry also applies to original
-- transactions that were recorded after it.
CREATE VIEW int_customer_link_entry AS
SELECT
  a.as_of, a.known_at, a.original_transaction_key, c.customer, e.identifier, e.action, e.effective_at, e.reason,
  e.author, e.recorded_at, e.entry_id
FROM param_scope a
JOIN customer_link_target x ON x.original_transaction_key = a.original_transaction_key
JOIN customer_link_entry e ON e.entry_id = x.entry_id
JOIN customer c ON c.customer_key = e.customer_key
WHERE e.effective_at <= a.as_of AND e.recorded_at <= a.known_at
  AND EXISTS (
    SELECT 1 FROM int_known_identifier k
    WHERE k.as_of = a.as_of AND k.known_at = a.known_at AND k.original_transaction_key = a.original_transaction_key
      AND k.identifier = e.identifier
  );
