-- The ids that are linked to a customer, of any kind. The last entry about the id and the customer links them.
CREATE VIEW int_linked_identifier AS
SELECT q.as_of, q.known_at, e.identifier, e.customer_key
FROM param_query q
JOIN customer_link_entry e ON e.effective_at <= q.as_of AND e.entered_at <= q.known_at
WHERE e.action = 'link'
  AND NOT EXISTS (
    SELECT 1 FROM customer_link_entry f
    WHERE f.identifier = e.identifier AND f.customer_key = e.customer_key AND f.entry_id > e.entry_id
      AND f.effective_at <= q.as_of AND f.entered_at <= q.known_at
  );
