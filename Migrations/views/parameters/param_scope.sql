-- The query scope: one row for each query and original transaction.
CREATE VIEW param_scope AS
SELECT q.as_of, q.known_at, s.original_transaction_key
FROM param_query q CROSS JOIN param_subscription s;
