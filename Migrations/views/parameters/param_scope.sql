-- The query scope: one row for each query and original transaction. The program replaces this view to limit a query to
-- some original transactions.
CREATE VIEW param_scope AS
SELECT q.as_of, q.known_at, l.original_transaction_key
FROM param_query q JOIN original_transaction l ON 1 = 1;
