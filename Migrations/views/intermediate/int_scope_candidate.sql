-- The rows of int_scope_unsettled, each once. There are few of them for now. The GROUP BY changes no row: with it
-- SQLite expects at most a hundred, and begins a query with what identifies a subscription.
--
-- In other engines, and where the program limits the query scope, this is param_scope itself. Where the program asks
-- about all subscriptions, it is a table in the order of the keys, because at other instants than now there may be many.
CREATE VIEW int_scope_candidate AS
SELECT as_of, known_at, original_transaction_key
FROM int_scope_unsettled
GROUP BY as_of, known_at, original_transaction_key;
