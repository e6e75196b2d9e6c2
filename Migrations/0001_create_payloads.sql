-- What arrived, exactly, once; when it arrived, each time; and what could not be used of it.
--
-- Evidence is never changed: a correction is more evidence. The triggers at the end say so to every program.
-- Instants are integer milliseconds since 1970-01-01T00:00:00Z; digests are SHA-256, 32 bytes.

-- Where deliveries came from: a file, standard input, a queue.
CREATE TABLE origin (
  origin_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- The first segment of signed texts, certificates included: Apple signs millions of texts with one of these.
CREATE TABLE jws_header (
  header_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  text TEXT NOT NULL
) STRICT;

-- One payload, less the statements and payloads inside it, which are rows of their own: inserted again at their
-- positions, they give back the arrival byte for byte.
CREATE TABLE payload (
  payload_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  kind TEXT NOT NULL,
  trust TEXT NOT NULL CHECK (trust IN ('verified', 'unsigned', 'unverified')),
  environment TEXT NOT NULL,
  bundle_id TEXT,
  app_apple_id TEXT,
  -- Apple's own instant for the whole of it: signedDate, request_date_ms, receipt_creation_date_ms.
  stated_at INTEGER,
  -- The greatest past-facing date inside, for payloads without one.
  inferred_at INTEGER,
  -- verifyReceipt's status where it is not 0; an API error's code.
  receipt_status INTEGER,
  -- What a failed answer asks its caller to do: retry, ask_sandbox, ask_production, mend_request, permanent.
  failure TEXT,
  source TEXT NOT NULL,
  header_id INTEGER REFERENCES jws_header,
  signature BLOB CHECK ((signature IS NULL) = (header_id IS NULL))
) STRICT;

-- Each arrival worth remembering: the first, and every one whose received instant the importer was told.
CREATE TABLE delivery (
  payload_id INTEGER NOT NULL REFERENCES payload,
  received_at INTEGER NOT NULL,
  -- 1 where the instant was told; 0 where it is the importer's own clock.
  is_told INTEGER NOT NULL CHECK (is_told IN (0, 1)),
  origin_id INTEGER NOT NULL REFERENCES origin,
  -- The line of the file.
  line INTEGER,
  PRIMARY KEY (payload_id, received_at, is_told)
) STRICT, WITHOUT ROWID;

-- Payloads inside payloads: a page of notification history and the notifications on it.
CREATE TABLE payload_part (
  payload_id INTEGER NOT NULL REFERENCES payload,
  position INTEGER NOT NULL,
  part_id INTEGER NOT NULL REFERENCES payload,
  PRIMARY KEY (payload_id, position)
) STRICT, WITHOUT ROWID;

-- Rows and fields inside a recorded payload that could not be used.
CREATE TABLE problem (
  payload_id INTEGER NOT NULL REFERENCES payload,
  ordinal INTEGER NOT NULL,
  code TEXT NOT NULL,
  path TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (payload_id, ordinal)
) STRICT, WITHOUT ROWID;

-- The texts of latest_receipt, only where the importer was asked to keep them.
CREATE TABLE receipt_data (
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What could not be recorded, with its bytes less secrets. What is too long to hold is kept in several parts.
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
  line INTEGER,
  received_at INTEGER NOT NULL,
  is_told INTEGER NOT NULL CHECK (is_told IN (0, 1))
) STRICT;

CREATE TABLE quarantine_bytes (
  quarantine_id INTEGER NOT NULL REFERENCES quarantine,
  ordinal INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (quarantine_id, ordinal)
) STRICT;

-- A quarantined payload that a later attempt could record.
CREATE TABLE quarantine_release (
  quarantine_id INTEGER PRIMARY KEY REFERENCES quarantine,
  released_at INTEGER NOT NULL
) STRICT;
