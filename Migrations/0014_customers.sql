-- Whose each purchase is, by the ids that evidence states. An original transaction that no transaction names has no
-- owner yet, so its link entries name it from its first transaction on. customer_link_target has the rows of the view
-- int_customer_link_target, and the audit compares them.

DELETE FROM customer_link_target
WHERE NOT EXISTS (
  SELECT 1 FROM transaction_info t WHERE t.original_transaction_key = customer_link_target.original_transaction_key
);
DROP TRIGGER original_transaction_becomes_target;
DROP TRIGGER transaction_info_becomes_target;
CREATE TRIGGER transaction_info_becomes_target AFTER INSERT ON transaction_info
BEGIN
  INSERT INTO customer_link_target
  SELECT DISTINCT e.entry_id, NEW.original_transaction_key FROM customer_link_entry e
  WHERE e.identifier IN (
    NEW.transaction_id, NEW.web_order_line_item_id,
    (
      SELECT o.original_transaction_id FROM original_transaction o
      WHERE o.original_transaction_key = NEW.original_transaction_key
    )
  ) AND NOT EXISTS (
    SELECT 1 FROM customer_link_target x
    WHERE x.entry_id = e.entry_id AND x.original_transaction_key = NEW.original_transaction_key
  );
END;
DROP TRIGGER customer_link_entry_finds_targets;
CREATE TRIGGER customer_link_entry_finds_targets AFTER INSERT ON customer_link_entry
BEGIN
  INSERT INTO customer_link_target
  SELECT NEW.entry_id, n.original_transaction_key
  FROM (
    SELECT o.original_transaction_key FROM original_transaction o
    WHERE o.original_transaction_id = NEW.identifier AND EXISTS (
      SELECT 1 FROM transaction_info t
      WHERE t.original_transaction_key = o.original_transaction_key AND t.transaction_info_id = t.transaction_key
    )
    UNION SELECT original_transaction_key FROM transaction_info WHERE transaction_id = NEW.identifier
    UNION SELECT original_transaction_key FROM original_transaction_identifier WHERE identifier = NEW.identifier
    UNION SELECT original_transaction_key FROM notification
    WHERE notification_uuid = NEW.identifier AND original_transaction_key IS NOT NULL
    UNION SELECT original_transaction_key FROM transaction_info WHERE web_order_line_item_id = NEW.identifier
  ) n
  WHERE NOT EXISTS (
    SELECT 1 FROM customer_link_target x
    WHERE x.entry_id = NEW.entry_id AND x.original_transaction_key = n.original_transaction_key
  );
END;
