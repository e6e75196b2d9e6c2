-- What the table original_transaction_identifier must hold: the ids whose kind has no other table with an index.
CREATE VIEW int_projected_identifier AS
SELECT DISTINCT identifier, kind, original_transaction_key
FROM int_recorded_identifier
WHERE kind NOT IN ('original_transaction_id', 'transaction_id', 'notification_uuid', 'web_order_line_item_id');
