-- The ids that lead to original transactions, as it was known: those of original_transaction_identifier. In the ledger's
-- file they are stored: the program puts derived ones in their place for an earlier known_at or a greater minimum_trust.
-- @elsewhere int_projected_identifier
CREATE VIEW stg_original_transaction_identifier AS
SELECT a.as_of, a.known_at, i.identifier, i.kind, i.original_transaction_key
FROM param_scope a
JOIN original_transaction_identifier i ON i.original_transaction_key = a.original_transaction_key;
