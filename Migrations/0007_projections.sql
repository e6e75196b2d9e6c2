-- Projections: results of the views, stored so that "now" needs no history.
--
-- Nothing here is evidence. Emptied, these tables change no answer, only its speed: what has no row here is derived by
-- the views. `subledger audit` compares the two.

-- One row a line: its head as of the end of time, and how recent our knowledge of it is.
CREATE TABLE projection_original_transaction (
  original_transaction_key INTEGER PRIMARY KEY REFERENCES original_transaction,
  -- The latest recorded_at of anything said of the line: what is kept here is what was known from then on.
  last_recorded_at INTEGER NOT NULL,
  evidence_at INTEGER NOT NULL,
  -- The latest evidence_at of its renewal versions.
  renewal_evidence_at INTEGER,
  -- The head; NULL where the line has no subscription transaction.
  deciding_version_id INTEGER,
  transaction_key INTEGER,
  deciding_evidence_at INTEGER,
  product_id TEXT,
  purchase_at INTEGER,
  expires_at INTEGER,
  revoked_at INTEGER,
  is_upgraded INTEGER,
  -- The last renewal info, which speaks at and after renewal_evidence_at (rules §5 and §7).
  renewal_info_version_id INTEGER,
  grace_period_expires_at INTEGER,
  is_in_billing_retry_period INTEGER,
  expiration_intent INTEGER,
  auto_renew_status INTEGER,
  auto_renew_product_id TEXT,
  -- signedDate of that renewal info; NULL where it was not signed.
  renewal_signed_at INTEGER,
  -- 1 where a payload that states something of the line contradicts itself. Such lines are few, and are derived in
  -- full.
  is_contradicted INTEGER NOT NULL CHECK (is_contradicted IN (0, 1)),
  -- The least trust of anything stated of the line: 0 not signed, 1 signed, 2 signed by Apple. Where a question asks
  -- for more, the line is derived in full.
  least_trust INTEGER NOT NULL CHECK (least_trust IN (0, 1, 2))
) STRICT;
CREATE INDEX projection_original_transaction_contradicted
ON projection_original_transaction (original_transaction_key) WHERE is_contradicted = 1;

-- Every version of a transaction that was ever its current one, and while it was: from the instant at which it was
-- recorded, to that at which a later one (rules §2) was. 9223372036854775807: it still is.
CREATE TABLE projection_transaction (
  original_transaction_key INTEGER NOT NULL,
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
  PRIMARY KEY (original_transaction_key, transaction_key, known_from)
) STRICT, WITHOUT ROWID;

-- Every renewal version, in the order of its evidence, with the instant at which it was recorded.
CREATE TABLE projection_renewal_info (
  original_transaction_key INTEGER NOT NULL,
  evidence_at INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (original_transaction_key, evidence_at, version_id)
) STRICT, WITHOUT ROWID;

-- Whatever postings have in common: the measure and all dimensions.
CREATE TABLE projection_metric_dimensions (
  dimensions_id INTEGER PRIMARY KEY,
  -- All of it as one text: two segments differ.
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

-- What is posted for each line (see the view metric_delta_derived).
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

-- The lines whose postings are kept as all that is recorded of them says. Recording takes a line away.
CREATE TABLE projection_metric_coverage (
  original_transaction_key INTEGER PRIMARY KEY
) STRICT;

-- Which text the generated part of the schema has: views, guards and the lists below the seals. A newer program
-- generates it again.
CREATE TABLE generated_schema (
  digest TEXT NOT NULL
) STRICT;
