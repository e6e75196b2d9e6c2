-- The original transactions that each link entry names by an id that evidence states, as it was known. In the ledger's
-- file they are stored: the program puts derived ones in their place for an earlier known_at or a greater minimum_trust.
-- @elsewhere int_customer_link_target
CREATE VIEW stg_customer_link_target AS
SELECT a.as_of, a.known_at, x.entry_id, x.original_transaction_key
FROM param_scope a
JOIN customer_link_target x ON x.original_transaction_key = a.original_transaction_key;
