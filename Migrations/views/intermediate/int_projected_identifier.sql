-- The ids whose kind has no other table with an index. original_transaction_identifier stores these rows, from all
-- evidence.
CREATE VIEW int_projected_identifier AS
SELECT DISTINCT as_of, known_at, identifier, kind, original_transaction_key
FROM int_known_identifier
WHERE kind NOT IN ('original_transaction_id', 'transaction_id', 'notification_uuid', 'web_order_line_item_id');
