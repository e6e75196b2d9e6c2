-- Projections: stored results of the views. With them, an answer for now needs no history.
--
-- Nothing here is evidence. Emptied, these tables change no answer, only its speed: the views derive what has no row
-- here. `subledger audit` compares the projections with the views.

-- One row for each original transaction: its last deciding transaction, its last renewal info, and when they were
-- recorded.
CREATE TABLE projection_original_transaction (
  original_transaction_key INTEGER PRIMARY KEY REFERENCES original_transaction,
  -- The latest recorded_at of any evidence about it. The row answers queries with this known_at or a later one.
  last_recorded_at INTEGER NOT NULL,
  evidence_at INTEGER NOT NULL,
  -- The latest evidence_at of its renewal info versions.
  renewal_evidence_at INTEGER,
  -- The version of the deciding transaction. NULL: it has no subscription transaction.
  deciding_version_id INTEGER,
  transaction_key INTEGER,
  deciding_evidence_at INTEGER,
  product_id TEXT,
  purchase_at INTEGER,
  expires_at INTEGER,
  revoked_at INTEGER,
  is_upgraded INTEGER,
  -- The last renewal info, which decides at and after renewal_evidence_at (rules §5 and §7).
  renewal_info_version_id INTEGER,
  grace_period_expires_at INTEGER,
  is_in_billing_retry_period INTEGER,
  expiration_intent INTEGER,
  auto_renew_status INTEGER,
  auto_renew_product_id TEXT,
  -- signedDate of that renewal info. NULL: it is not signed.
  renewal_signed_at INTEGER,
  -- 1: a payload with evidence about it contradicts itself. There are few such subscriptions, and they are derived in
  -- full.
  is_contradicted INTEGER NOT NULL CHECK (is_contradicted IN (0, 1)),
  -- The lowest trust of its evidence: 0 not signed, 1 signed, 2 signed by Apple. A query that excludes such evidence
  -- derives the subscription in full.
  least_trust INTEGER NOT NULL CHECK (least_trust IN (0, 1, 2))
) STRICT;
CREATE INDEX projection_original_transaction_contradicted
ON projection_original_transaction (original_transaction_key) WHERE is_contradicted = 1;

-- Every version that was ever the current one of its transaction (rules §2), and when. known_from is when it was
-- recorded. known_until is when the version that replaced it was recorded. NULL: it is still current.
CREATE TABLE projection_transaction (
  original_transaction_key INTEGER NOT NULL,
  transaction_key INTEGER NOT NULL,
  known_from INTEGER NOT NULL,
  known_until INTEGER,
  version_id INTEGER NOT NULL,
  evidence_at INTEGER NOT NULL,
  source_rank INTEGER NOT NULL,
  purchase_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  is_upgraded INTEGER NOT NULL,
  PRIMARY KEY (original_transaction_key, transaction_key, known_from)
) STRICT, WITHOUT ROWID;

-- Every renewal info version, in the order of evidence_at, with the instant at which it was recorded.
CREATE TABLE projection_renewal_info (
  original_transaction_key INTEGER NOT NULL,
  evidence_at INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (original_transaction_key, evidence_at, version_id)
) STRICT, WITHOUT ROWID;

-- The measure and the dimensions that metric deltas share.
CREATE TABLE projection_metric_dimensions (
  dimensions_id INTEGER PRIMARY KEY,
  -- All dimensions as one text, which is different for each row.
  name TEXT NOT NULL UNIQUE,
  measure TEXT NOT NULL,
  environment TEXT NOT NULL,
  bundle_id TEXT,
  product_id TEXT,
  country TEXT,
  currency TEXT,
  offer_type INTEGER,
  offer_identifier TEXT,
  reason TEXT,
  detail TEXT,
  step INTEGER,
  own_months INTEGER,
  own_days INTEGER,
  stated_days INTEGER
) STRICT;

-- The metric deltas of each original transaction (see the view metric_delta_derived).
CREATE TABLE projection_metric_delta (
  delta_id INTEGER PRIMARY KEY,
  original_transaction_key INTEGER NOT NULL,
  dimensions_id INTEGER NOT NULL,
  day_at INTEGER NOT NULL,
  effective_at INTEGER NOT NULL,
  amount INTEGER NOT NULL
) STRICT;
CREATE INDEX projection_metric_delta_of_transaction ON projection_metric_delta (original_transaction_key);
CREATE INDEX projection_metric_delta_of_day ON projection_metric_delta (dimensions_id, day_at, effective_at, amount);

-- The original transactions whose metric deltas are up to date. Recording evidence about one of them removes its row.
CREATE TABLE projection_metric_coverage (
  original_transaction_key INTEGER PRIMARY KEY
) STRICT;

-- The digest of the generated part of the schema: views, guards and the lists of sealed tables. A program with another
-- digest generates that part again.
CREATE TABLE generated_schema (
  digest TEXT NOT NULL
) STRICT;
