-- Stored answers. The transaction that records evidence also derives, from the views, what it changes here. Nothing here
-- is evidence, and `subledger audit` compares it with what the evidence derives.

-- What the views do not read any more: what is stored is always complete.
DROP TRIGGER original_transaction_begins_unprojected;
DROP TABLE projection_original_transaction;
DROP TABLE projection_gap;

-- What is known of the evidence about each original transaction as a whole. The rows are those of the view
-- int_original_transaction_evidence.
CREATE TABLE projection_original_transaction (
  original_transaction_key INTEGER PRIMARY KEY REFERENCES original_transaction,
  -- The latest recorded_at of any evidence about it. The stored answers are for this known_at and later ones.
  last_recorded_at INTEGER NOT NULL,
  evidence_at INTEGER NOT NULL,
  -- 1: a payload with evidence about it contradicts itself.
  is_contradicted INTEGER NOT NULL CHECK (is_contradicted IN (0, 1)),
  -- The lowest trust of its evidence: 0 not signed, 1 signed, 2 signed by Apple. A query that excludes such evidence
  -- derives the subscription from the rest.
  least_trust INTEGER NOT NULL CHECK (least_trust IN (0, 1, 2))
) STRICT;
CREATE INDEX projection_original_transaction_of_recorded ON projection_original_transaction (last_recorded_at);

-- The answers for what is known at present: the states of each subscription, from its first purchase on. Nothing in a
-- row changes from begins_at until ends_at (NULL: no end). The rows are those of the view int_entitlement_period.
CREATE TABLE entitlement_period (
  original_transaction_key INTEGER NOT NULL,
  begins_at INTEGER NOT NULL,
  ends_at INTEGER,
  product_id TEXT,
  state TEXT NOT NULL,
  has_access INTEGER NOT NULL,
  access_ends_at INTEGER,
  confirmed INTEGER NOT NULL,
  will_renew INTEGER,
  next_product_id TEXT,
  expiration_reason TEXT,
  rule TEXT NOT NULL,
  evidence_at INTEGER NOT NULL,
  purchase_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER,
  grace_period_expires_at INTEGER,
  transaction_key INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  renewal_info_version_id INTEGER,
  PRIMARY KEY (original_transaction_key, begins_at)
) STRICT, WITHOUT ROWID;

-- The digest of the generated part of the schema: views, guards and the lists of sealed tables. A program with another
-- digest generates that part again. The other digests are those of the views, without comments, from which the stored
-- answers and the stored metric deltas come. A program with another one derives them again.
DROP TABLE generated_schema;
CREATE TABLE generated_schema (
  digest TEXT NOT NULL,
  answer_digest TEXT NOT NULL,
  metric_digest TEXT NOT NULL
) STRICT;

-- The original transactions whose periods wait to be derived. A transaction that is about many of them leaves them for
-- the end of its import. Until then, entitlement_period has no rows of them, and the program derives what it is asked.
CREATE TABLE entitlement_period_gap (
  original_transaction_key INTEGER PRIMARY KEY
) STRICT;
