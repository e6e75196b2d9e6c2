-- Projections that answer for every instant of knowledge, and not only for the present one; and a line's head beside the
-- renewal info that speaks for it, so that "now" is one pass over one table.
--
-- As before nothing here is evidence: emptied, these tables change no answer, only its speed. They are empty after this
-- step, and derived when the file is next opened for recording.
DROP TABLE projection_line;
DROP TABLE projection_transaction;
DROP TABLE projection_renewal;

-- One row a line: its head as of the end of time, and how recent our knowledge of it is.
CREATE TABLE projection_line (
  line_id INTEGER PRIMARY KEY REFERENCES line,
  -- The latest recorded_at of anything said of the line: what is kept here is what was known from then on.
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
  is_upgraded INTEGER,
  -- The last renewal info, which speaks at and after renewal_evidence_at (rules §5 and §7).
  renewal_version_id INTEGER,
  grace_period_expires_at INTEGER,
  is_in_billing_retry_period INTEGER,
  expiration_intent INTEGER,
  auto_renew_status INTEGER,
  auto_renew_product_id TEXT,
  -- signedDate of that renewal info; NULL where it was not signed.
  renewal_signed_at INTEGER
) STRICT;

-- Every version of a transaction that was ever its current one, and while it was: from the instant at which it was
-- recorded, to that at which a later one (rules §2) was. 9223372036854775807: it still is.
CREATE TABLE projection_transaction (
  line_id INTEGER NOT NULL,
  transaction_key INTEGER NOT NULL,
  known_from INTEGER NOT NULL,
  known_until INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  evidence_at INTEGER NOT NULL,
  source_rank INTEGER NOT NULL,
  product_id TEXT,
  purchase_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  is_upgraded INTEGER NOT NULL,
  PRIMARY KEY (line_id, transaction_key, known_from)
) STRICT, WITHOUT ROWID;

-- Every renewal version, in the order of its evidence, with the instant at which it was recorded.
CREATE TABLE projection_renewal (
  line_id INTEGER NOT NULL,
  evidence_at INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (line_id, evidence_at, version_id)
) STRICT, WITHOUT ROWID;
