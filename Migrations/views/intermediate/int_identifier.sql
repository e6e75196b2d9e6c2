-- Where each id of int_known_identifier leads, from the tables that have an index for it. A search by an id reads this
-- view. It also has the original transaction ids that only renewal info or a status names.
--
-- table_rank: 1 original_transaction, 2 stg_transaction, 3 original_transaction_identifier, 4 notification,
-- 5 transaction_info. The texts of a transaction repeat its web_order_line_item_id: the first one counts.
-- @integer table_rank
CREATE VIEW int_identifier AS
SELECT
  original_transaction_id AS identifier, CAST('original_transaction_id' AS VARCHAR(64)) AS kind,
  original_transaction_key, 1 AS table_rank
FROM original_transaction
UNION ALL
SELECT transaction_id, CAST('transaction_id' AS VARCHAR(64)), original_transaction_key, 2 FROM stg_transaction
UNION ALL
SELECT identifier, kind, original_transaction_key, 3 FROM original_transaction_identifier
UNION ALL
SELECT notification_uuid, CAST('notification_uuid' AS VARCHAR(64)), original_transaction_key, 4
FROM notification
WHERE notification_uuid IS NOT NULL AND original_transaction_key IS NOT NULL
UNION ALL
SELECT w.web_order_line_item_id, CAST('web_order_line_item_id' AS VARCHAR(64)), w.original_transaction_key, 5
FROM transaction_info w
WHERE w.web_order_line_item_id IS NOT NULL
  AND NOT EXISTS (
    SELECT 1 FROM transaction_info e
    WHERE e.web_order_line_item_id = w.web_order_line_item_id
      AND e.original_transaction_key = w.original_transaction_key AND e.transaction_info_id < w.transaction_info_id
  );
