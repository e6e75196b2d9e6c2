-- The subscriptions that a query is about, by the keys of their original transactions. The program replaces this view to
-- limit a query to some of them.
CREATE VIEW param_subscription AS
SELECT original_transaction_key FROM original_transaction;
