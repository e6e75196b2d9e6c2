-- The original transactions that each link entry names: through any id that evidence states, recorded before or after
-- the entry. customer_link_target stores these rows, from all evidence.
CREATE VIEW int_customer_link_target AS
SELECT DISTINCT k.as_of, k.known_at, e.entry_id, k.original_transaction_key
FROM int_known_identifier k
CROSS JOIN customer_link_entry e
WHERE e.identifier = k.identifier;
