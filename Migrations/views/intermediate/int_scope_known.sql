-- The query scope without as_of: one row for each limit of knowledge and original transaction. What is known does not
-- depend on as_of.
CREATE VIEW int_scope_known AS
SELECT q.known_at, s.original_transaction_key
FROM (SELECT known_at FROM param_query GROUP BY known_at) q CROSS JOIN param_subscription s;
