-- The staff's link entries, one row for each original transaction that an entry names. An entry may use any of its ids.
-- An entry also applies to original transactions that were recorded after it.
--
-- Rank 1 is the entry that was recorded last. customer_rank compares the entries for a customer and an original
-- transaction. identifier_rank compares only those with the same id.
CREATE VIEW int_customer_link_entry AS
SELECT
  n.as_of, n.known_at, n.original_transaction_key, n.kind, n.identifier, c.customer, e.action, e.effective_at,
  e.reason, e.author,
  e.recorded_at, e.entry_id,
  ROW_NUMBER() OVER (PARTITION BY n.as_of, n.known_at, n.original_transaction_key, c.customer
  ORDER BY e.entry_id DESC, n.kind)
    AS customer_rank,
  ROW_NUMBER() OVER (
    PARTITION BY n.as_of, n.known_at, n.original_transaction_key, c.customer, n.identifier
      ORDER BY e.entry_id DESC, n.kind
  ) AS identifier_rank
FROM int_known_identifier n
JOIN customer_link_entry e ON e.identifier = n.identifier AND e.effective_at <= n.as_of AND e.recorded_at <= n.known_at
JOIN customer c ON c.customer_key = e.customer_key;
