-- Payloads: the bytes of each different text that arrived, every delivery, and what could not be used.
--
-- Evidence is append-only: a correction is more evidence. Guards refuse every update, deletion and replacement. The
-- program generates the triggers for it from the sealed tables in `data_dictionary.sql`, and seals every row.
--
-- Instants are integer milliseconds since 1970-01-01T00:00:00Z. Digests are SHA-256.

-- The source of a delivery: a file, standard input or a queue.
CREATE TABLE origin (
  origin_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  salt INTEGER
) STRICT;

-- The first segment of signed texts, with the certificates. Apple signs millions of texts with the same segment.
CREATE TABLE jws_header (
  header_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  text TEXT NOT NULL
) STRICT;

-- The root certificates that signatures lead to.
CREATE TABLE root_certificate (
  root_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  name TEXT NOT NULL,
  -- 1: Apple Root CA G3. 0: a root that was added with --trust.
  is_apple INTEGER NOT NULL CHECK (is_apple IN (0, 1))
) STRICT;

-- Texts of one kind differ only in their values. A template stores the rest once: keys, punctuation, and values that an
-- app repeats for all its customers. A text with a template stores only its own values.
--
-- Each U+001F in a template marks the position of a value; no JSON text contains that character. A letter after it
-- states where the value is:
--   none       in `source`, which holds these values with U+001F between them
--   a to z     in a column, exactly as Apple wrote it: the views transaction_info_value, renewal_info_value,
--              app_transaction_info_value and payload_value list the columns
--   G          the instant of the next value (milliseconds since 1970) in words of UTC
--   P          the instant of the value before, in words of Cupertino's time
--
-- Where template_id is NULL, `source` is the whole text. The views payload_text and transaction_info_text rebuild the
-- texts.
CREATE TABLE text_template (
  template_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  text TEXT NOT NULL,
  salt INTEGER
) STRICT;

-- One payload without Apple's objects and the payloads inside it, which are rows of their own. Inserted at their
-- positions, they restore the payload byte for byte.
CREATE TABLE payload (
  payload_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  kind TEXT NOT NULL,
  trust TEXT NOT NULL CHECK (trust IN ('verified', 'unsigned', 'unverified')),
  environment TEXT NOT NULL,
  bundle_id TEXT,
  app_apple_id TEXT,
  -- The instant that Apple states for the whole payload: signedDate, request_date_ms or receipt_creation_date_ms.
  stated_at INTEGER,
  -- The greatest past-facing date inside (rules §1), for payloads that state no instant.
  inferred_at INTEGER,
  -- The status of verifyReceipt if it is not 0, or the code of an API error.
  receipt_status INTEGER,
  -- What the caller must do after a failed response: retry, ask_sandbox, ask_production, mend_request or permanent.
  failure TEXT,
  source TEXT NOT NULL,
  header_id INTEGER REFERENCES jws_header,
  signature BLOB CHECK ((signature IS NULL) = (header_id IS NULL)),
  template_id INTEGER REFERENCES text_template,
  -- The root that every signature in the payload leads to. NULL: a part of the payload is not signed.
  root_id INTEGER REFERENCES root_certificate,
  -- The positions of objects and payloads in `source`. Each one, in order, has a letter: `t` (transaction_info), `r`
  -- (renewal_info), `a` (app_transaction_info) or `p` (payload). Then comes the distance in bytes from the one before.
  -- After a comma comes the difference of its number from that of the one of its kind before: `t1203,55 t880,1 r12,7`.
  layout TEXT,
  salt INTEGER
) STRICT;

-- The deliveries that affect an instant: the first one, and every one with an explicit received instant (rules §1).
CREATE TABLE delivery (
  payload_id INTEGER NOT NULL REFERENCES payload,
  received_at INTEGER NOT NULL,
  -- 1: the caller gave the instant to the importer. 0: the instant is from the importer's own clock.
  is_explicit INTEGER NOT NULL CHECK (is_explicit IN (0, 1)),
  origin_id INTEGER NOT NULL REFERENCES origin,
  -- The number of the line in the file.
  source_line INTEGER,
  PRIMARY KEY (payload_id, received_at, is_explicit)
) STRICT, WITHOUT ROWID;

-- Payloads inside payloads, such as the notifications on a page of notification history.
CREATE TABLE payload_part (
  part_id INTEGER NOT NULL REFERENCES payload,
  payload_id INTEGER NOT NULL REFERENCES payload,
  PRIMARY KEY (part_id, payload_id)
) STRICT, WITHOUT ROWID;

-- Rows and fields inside a recorded payload that could not be used.
CREATE TABLE problem (
  payload_id INTEGER NOT NULL REFERENCES payload,
  ordinal INTEGER NOT NULL,
  code TEXT NOT NULL,
  path TEXT NOT NULL,
  value TEXT NOT NULL,
  salt INTEGER,
  PRIMARY KEY (payload_id, ordinal)
) STRICT, WITHOUT ROWID;
-- A payload whose dates contradict each other may be forged or edited. stg_payload looks for such payloads.
CREATE INDEX problem_contradiction ON problem (payload_id) WHERE code = 'contradictory_date';

-- Ids that a recorded payload names, although nothing about them could be read.
CREATE TABLE payload_mention (
  identifier TEXT NOT NULL,
  -- transaction_id, original_transaction_id, web_order_line_item_id or notification_uuid.
  kind TEXT NOT NULL,
  payload_id INTEGER NOT NULL REFERENCES payload,
  PRIMARY KEY (identifier, kind, payload_id)
) STRICT, WITHOUT ROWID;

-- The texts of latest_receipt. An import stores them only on request.
CREATE TABLE receipt_data (
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  text TEXT NOT NULL,
  salt INTEGER
) STRICT, WITHOUT ROWID;

-- What could not be recorded, with the reason. The bytes, without secrets, are in quarantine_bytes.
CREATE TABLE quarantine (
  quarantine_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  reason TEXT NOT NULL,
  path TEXT NOT NULL,
  byte_offset INTEGER,
  detail TEXT NOT NULL,
  advice TEXT NOT NULL,
  byte_count INTEGER NOT NULL,
  origin_id INTEGER NOT NULL REFERENCES origin,
  source_line INTEGER,
  received_at INTEGER NOT NULL,
  is_explicit INTEGER NOT NULL CHECK (is_explicit IN (0, 1)),
  salt INTEGER
) STRICT;

-- A long text is stored in several parts.
CREATE TABLE quarantine_bytes (
  quarantine_id INTEGER NOT NULL REFERENCES quarantine,
  ordinal INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  salt INTEGER,
  PRIMARY KEY (quarantine_id, ordinal)
) STRICT;

-- A quarantined payload that a later attempt recorded.
CREATE TABLE quarantine_release (
  quarantine_id INTEGER PRIMARY KEY REFERENCES quarantine,
  released_at INTEGER NOT NULL
) STRICT;

-- Ids that payloads in quarantine name.
CREATE TABLE quarantine_mention (
  identifier TEXT NOT NULL,
  kind TEXT NOT NULL,
  quarantine_id INTEGER NOT NULL REFERENCES quarantine,
  PRIMARY KEY (identifier, kind, quarantine_id)
) STRICT, WITHOUT ROWID;
