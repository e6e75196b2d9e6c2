-- People who asked to be forgotten: their ids gave way to a pseudonym, everywhere, and that is on record here.
--
-- It is the one exception to the refusal of changes. What was rewritten keeps its digest and the fact that its
-- signature had verified; it cannot give that digest, or be verified, again.

CREATE TABLE erasure (
  erasure_id INTEGER PRIMARY KEY,
  pseudonym TEXT NOT NULL,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL
) STRICT;

-- kind: payload, statement, quarantine, receipt_data.
CREATE TABLE erased_text (
  kind TEXT NOT NULL CHECK (kind IN ('payload', 'statement', 'quarantine', 'receipt_data')),
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  erasure_id INTEGER NOT NULL REFERENCES erasure,
  PRIMARY KEY (kind, digest, erasure_id)
) STRICT, WITHOUT ROWID;
