-- A person who looks for an id finds the payloads that name it while nothing about it could be read, and why.
--
-- And payloads whose own dates contradict each other are found without a look at every problem: they may be forged or
-- edited, and confirm nothing by themselves (rules §6).

-- Ids that recorded payloads name, while nothing about them could be read.
CREATE TABLE payload_mention (
  identifier TEXT NOT NULL,
  -- transaction_id, original_transaction_id, web_order_line_item_id, notification_uuid.
  kind TEXT NOT NULL,
  payload_id INTEGER NOT NULL REFERENCES payload,
  PRIMARY KEY (identifier, kind, payload_id)
) STRICT, WITHOUT ROWID;

-- Ids that payloads in quarantine name.
CREATE TABLE quarantine_mention (
  identifier TEXT NOT NULL,
  kind TEXT NOT NULL,
  quarantine_id INTEGER NOT NULL REFERENCES quarantine,
  PRIMARY KEY (identifier, kind, quarantine_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX problem_contradiction ON problem (payload_id) WHERE code = 'contradictory_date';

-- 1 where a payload that states something of the line contradicts itself: such lines are few, and are read in full.
-- (No payload of an older file was looked at for that.)
ALTER TABLE projection_line ADD COLUMN is_contradicted INTEGER NOT NULL DEFAULT 0 CHECK (is_contradicted IN (0, 1));
CREATE INDEX projection_line_contradicted ON projection_line (line_id) WHERE is_contradicted = 1;

INSERT INTO sealed_table VALUES (40, 'payload_mention'), (41, 'quarantine_mention');

CREATE TRIGGER payload_mention_refuses_update BEFORE UPDATE ON payload_mention
BEGIN SELECT RAISE(ABORT, 'payload_mention is evidence: it is appended to, never changed'); END;
CREATE TRIGGER payload_mention_refuses_delete BEFORE DELETE ON payload_mention
BEGIN SELECT RAISE(ABORT, 'payload_mention is evidence: it is appended to, never changed'); END;
CREATE TRIGGER payload_mention_refuses_replacement BEFORE INSERT ON payload_mention
WHEN EXISTS (
  SELECT 1 FROM payload_mention
  WHERE identifier = NEW.identifier AND kind = NEW.kind AND payload_id = NEW.payload_id)
BEGIN SELECT RAISE(FAIL, 'payload_mention is evidence: a row is never replaced'); END;
CREATE TRIGGER quarantine_mention_refuses_update BEFORE UPDATE ON quarantine_mention
BEGIN SELECT RAISE(ABORT, 'quarantine_mention is evidence: it is appended to, never changed'); END;
CREATE TRIGGER quarantine_mention_refuses_delete BEFORE DELETE ON quarantine_mention
BEGIN SELECT RAISE(ABORT, 'quarantine_mention is evidence: it is appended to, never changed'); END;
CREATE TRIGGER quarantine_mention_refuses_replacement BEFORE INSERT ON quarantine_mention
WHEN EXISTS (
  SELECT 1 FROM quarantine_mention
  WHERE identifier = NEW.identifier AND kind = NEW.kind AND quarantine_id = NEW.quarantine_id)
BEGIN SELECT RAISE(FAIL, 'quarantine_mention is evidence: a row is never replaced'); END;
