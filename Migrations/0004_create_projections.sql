-- What is derived from the evidence, kept beside it so that "now" needs no history.
--
-- Nothing here is evidence. Emptied, these tables change no answer, only its speed: every line that has no row in
-- projection_line is answered by the general text of the views. `subledger audit` compares the two.

-- One row a line: its head as of the end of time, and how recent our knowledge of it is.
CREATE TABLE projection_line (
  line_id INTEGER PRIMARY KEY REFERENCES line,
  -- The latest recorded_at of anything said of the line: a question with known_at before it needs the general text.
  last_recorded_at INTEGER NOT NULL,
  evidence_at INTEGER NOT NULL,
  -- The latest evidence_at of its renewal versions.
  renewal_evidence_at INTEGER,
  -- The head; NULL where the line has no subscription transaction.
  head_version_id INTEGER,
  transaction_key INTEGER,
  head_evidence_at INTEGER,
  product_id TEXT,
  purchase_at INTEGER,
  expires_at INTEGER,
  revoked_at INTEGER,
  is_upgraded INTEGER
) STRICT;

-- The current version of every transaction.
CREATE TABLE projection_transaction (
  line_id INTEGER NOT NULL,
  transaction_key INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  evidence_at INTEGER NOT NULL,
  source_rank INTEGER NOT NULL,
  product_id TEXT,
  purchase_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  is_upgraded INTEGER NOT NULL,
  PRIMARY KEY (line_id, transaction_key)
) STRICT, WITHOUT ROWID;

-- Every renewal version, in the order of its evidence.
CREATE TABLE projection_renewal (
  line_id INTEGER NOT NULL,
  evidence_at INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  PRIMARY KEY (line_id, evidence_at, version_id)
) STRICT, WITHOUT ROWID;

-- Which text the file's views have, so that a newer program knows to recreate them.
CREATE TABLE view_text (
  digest TEXT NOT NULL
) STRICT;
