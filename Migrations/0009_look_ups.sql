-- What look-ups need, so that an answer about one subscription reads only this subscription in any SQL tool.

-- The original transactions without a row in projection_original_transaction. Triggers keep this table, and it refuses
-- every other change: a query looks here for what the projections do not answer.
CREATE TABLE projection_gap (
  original_transaction_key INTEGER PRIMARY KEY
) STRICT;
INSERT INTO projection_gap
SELECT original_transaction_key FROM original_transaction
WHERE original_transaction_key NOT IN (SELECT original_transaction_key FROM projection_original_transaction);
CREATE TRIGGER original_transaction_begins_unprojected AFTER INSERT ON original_transaction
BEGIN
  INSERT INTO projection_gap VALUES (NEW.original_transaction_key);
END;
CREATE TRIGGER projection_original_transaction_begins AFTER INSERT ON projection_original_transaction
BEGIN
  DELETE FROM projection_gap WHERE original_transaction_key = NEW.original_transaction_key;
END;
CREATE TRIGGER projection_original_transaction_ends AFTER DELETE ON projection_original_transaction
BEGIN
  INSERT INTO projection_gap VALUES (OLD.original_transaction_key)
  ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER projection_gap_keeps_rows BEFORE DELETE ON projection_gap
WHEN NOT EXISTS (
  SELECT 1 FROM projection_original_transaction p WHERE p.original_transaction_key = OLD.original_transaction_key
)
BEGIN
  SELECT RAISE(ABORT, 'projection_gap is kept by triggers: a row goes when its projection comes');
END;

-- The instant from which on the projected row answers, for as_of and known_at alike. A contradicted subscription is
-- always derived. int_scope_unsettled searches this index.
DROP INDEX projection_original_transaction_contradicted;
CREATE INDEX projection_original_transaction_of_settled ON projection_original_transaction ((
  CASE
    WHEN is_contradicted = 1 THEN 9223372036854775807
    WHEN last_recorded_at >= COALESCE(purchase_at, 0) AND last_recorded_at >= COALESCE(renewal_evidence_at, 0)
      THEN last_recorded_at
    WHEN COALESCE(purchase_at, 0) >= COALESCE(renewal_evidence_at, 0) THEN purchase_at
    ELSE renewal_evidence_at
  END
));

-- From an original transaction to its transactions and ids: the other direction of the indexes that are there.
CREATE INDEX transaction_info_of_original
ON transaction_info (original_transaction_key) WHERE transaction_info_id = transaction_key;
CREATE INDEX original_transaction_identifier_of_original ON original_transaction_identifier (original_transaction_key);

-- The original transactions that each link entry names: through any id, recorded before or after the entry. Triggers
-- keep this table. int_identifier finds the same ones, and the audit compares the two.
CREATE TABLE customer_link_target (
  entry_id INTEGER NOT NULL REFERENCES customer_link_entry,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  PRIMARY KEY (entry_id, original_transaction_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX customer_link_target_of_original ON customer_link_target (original_transaction_key);
INSERT INTO customer_link_target
SELECT e.entry_id, o.original_transaction_key
FROM customer_link_entry e JOIN original_transaction o ON o.original_transaction_id = e.identifier
UNION SELECT e.entry_id, t.original_transaction_key
FROM customer_link_entry e JOIN transaction_info t ON t.transaction_id = e.identifier
UNION SELECT e.entry_id, i.original_transaction_key
FROM customer_link_entry e JOIN original_transaction_identifier i ON i.identifier = e.identifier
UNION SELECT e.entry_id, n.original_transaction_key
FROM customer_link_entry e JOIN notification n ON n.notification_uuid = e.identifier
WHERE n.original_transaction_key IS NOT NULL
UNION SELECT e.entry_id, t.original_transaction_key
FROM customer_link_entry e JOIN transaction_info t ON t.web_order_line_item_id = e.identifier;
CREATE TRIGGER customer_link_entry_finds_targets AFTER INSERT ON customer_link_entry
BEGIN
  INSERT INTO customer_link_target
  SELECT NEW.entry_id, n.original_transaction_key
  FROM (
    SELECT original_transaction_key FROM original_transaction WHERE original_transaction_id = NEW.identifier
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
CREATE TRIGGER original_transaction_becomes_target AFTER INSERT ON original_transaction
BEGIN
  INSERT INTO customer_link_target
  SELECT e.entry_id, NEW.original_transaction_key FROM customer_link_entry e
  WHERE e.identifier = NEW.original_transaction_id AND NOT EXISTS (
    SELECT 1 FROM customer_link_target x
    WHERE x.entry_id = e.entry_id AND x.original_transaction_key = NEW.original_transaction_key
  );
END;
CREATE TRIGGER transaction_info_becomes_target AFTER INSERT ON transaction_info
BEGIN
  INSERT INTO customer_link_target
  SELECT e.entry_id, NEW.original_transaction_key FROM customer_link_entry e
  WHERE e.identifier IN (NEW.transaction_id, NEW.web_order_line_item_id) AND NOT EXISTS (
    SELECT 1 FROM customer_link_target x
    WHERE x.entry_id = e.entry_id AND x.original_transaction_key = NEW.original_transaction_key
  );
END;
CREATE TRIGGER original_transaction_identifier_becomes_target AFTER INSERT ON original_transaction_identifier
BEGIN
  INSERT INTO customer_link_target
  SELECT e.entry_id, NEW.original_transaction_key FROM customer_link_entry e
  WHERE e.identifier = NEW.identifier AND NOT EXISTS (
    SELECT 1 FROM customer_link_target x
    WHERE x.entry_id = e.entry_id AND x.original_transaction_key = NEW.original_transaction_key
  );
END;
CREATE TRIGGER notification_becomes_target AFTER INSERT ON notification
WHEN NEW.notification_uuid IS NOT NULL AND NEW.original_transaction_key IS NOT NULL
BEGIN
  INSERT INTO customer_link_target
  SELECT e.entry_id, NEW.original_transaction_key FROM customer_link_entry e
  WHERE e.identifier = NEW.notification_uuid AND NOT EXISTS (
    SELECT 1 FROM customer_link_target x
    WHERE x.entry_id = e.entry_id AND x.original_transaction_key = NEW.original_transaction_key
  );
END;
