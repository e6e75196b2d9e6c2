-- The staff's link entries that hold, one row for each original transaction that an entry names. An entry may use any
-- of its ids, and counts once evidence that states this id was recorded. An entry also applies to original
-- transactions that were recorded after it.
CREATE VIEW int_customer_link_entry AS
SELECT
  x.as_of, x.known_at, x.original_transaction_key, c.customer, e.identifier, e.action, e.effective_at, e.reason,
  e.author, e.entered_at, e.entry_id
FROM stg_customer_link_target x
JOIN customer_link_entry e ON e.entry_id = x.entry_id
JOIN customer c ON c.customer_key = e.customer_key
WHERE e.effective_at <= x.as_of AND e.entered_at <= x.known_at;
