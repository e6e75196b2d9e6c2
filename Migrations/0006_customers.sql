-- Customers, by the app's own ids, and what staff record about them. Entries have a date and are never changed.
--
-- entered_at is when an entry was made. effective_at is when its effect begins (0: at the beginning of time). Of the
-- entries in effect at an instant, the one that was entered last decides.

CREATE TABLE customer (
  customer_key INTEGER PRIMARY KEY,
  -- The app's own id, any text. An account token is the id of a customer until an entry links it to another customer.
  customer TEXT NOT NULL UNIQUE,
  salt INTEGER
) STRICT;

-- The staff's entries that link purchases to customers. identifier: any id from Apple that names purchases. The
-- evidence need not contain it yet.
CREATE TABLE customer_link_entry (
  entry_id INTEGER PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customer,
  identifier TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('link', 'unlink')),
  effective_at INTEGER NOT NULL,
  -- For a transfer: the other customer.
  other_customer_key INTEGER REFERENCES customer,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX customer_link_entry_of_identifier ON customer_link_entry (identifier);
CREATE INDEX customer_link_entry_of_customer ON customer_link_entry (customer_key);

-- The original transactions that each link entry names, through any id that evidence states. The id may be recorded
-- before or after the entry. An original transaction that no transaction names has no owner yet, so its link entries
-- name it from its first transaction on.
--
-- Triggers maintain this table. So an answer about one customer reads only their purchases, in any SQL tool. The table
-- has the rows of the view int_customer_link_target, and the audit compares them.
CREATE TABLE customer_link_target (
  entry_id INTEGER NOT NULL REFERENCES customer_link_entry,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  PRIMARY KEY (entry_id, original_transaction_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX customer_link_target_of_original ON customer_link_target (original_transaction_key);
-- Finds the original transactions of a new entry.
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
-- Each of the others finds the entries of a new id.
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

-- The notes of staff about customers.
CREATE TABLE customer_note (
  note_id INTEGER PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customer,
  text TEXT NOT NULL,
  author TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX customer_note_of_customer ON customer_note (customer_key);

-- Access that the app's staff grants. Apple does not know of it, and no metric counts it.
CREATE TABLE access_grant (
  grant_id INTEGER PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customer,
  entitlement TEXT NOT NULL,
  begins_at INTEGER NOT NULL,
  -- NULL: no end.
  ends_at INTEGER,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX access_grant_of_customer ON access_grant (customer_key);

-- The revocations of access that staff granted.
CREATE TABLE access_grant_revocation (
  revocation_id INTEGER PRIMARY KEY,
  grant_id INTEGER NOT NULL REFERENCES access_grant,
  revoked_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX access_grant_revocation_of_grant ON access_grant_revocation (grant_id);

-- The seats that the app itself gives to members, where Apple does not (invitationManagement DEVELOPER). Apple states
-- no member of such a group, so the app's server is the record of it.
CREATE TABLE seat_claim (
  claim_id INTEGER PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customer,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  seat_claim_id TEXT,
  claimed_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX seat_claim_of_customer ON seat_claim (customer_key);
CREATE INDEX seat_claim_of_original ON seat_claim (original_transaction_key);
CREATE INDEX seat_claim_of_id ON seat_claim (seat_claim_id);

-- The ends of seat claims, by the app. Apple ends claims too: see seat_release.
CREATE TABLE seat_unclaim (
  unclaim_id INTEGER PRIMARY KEY,
  claim_id INTEGER NOT NULL REFERENCES seat_claim,
  unclaimed_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX seat_unclaim_of_claim ON seat_unclaim (claim_id);
