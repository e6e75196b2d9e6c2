-- Projections: stored results of the views. With them, an answer for now needs no history.
--
-- The transaction that records evidence also derives, from the views, the answers that it changes. The next report
-- derives its metric deltas. Nothing here is evidence: `subledger audit` compares the projections with what the
-- evidence derives. When they were emptied, the program derives them again.

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
  weakest_trust INTEGER NOT NULL CHECK (weakest_trust IN (0, 1, 2))
) STRICT;
CREATE INDEX projection_original_transaction_of_recorded ON projection_original_transaction (last_recorded_at);

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
  -- The seats, and the seats at the next renewal (rules §7).
  seats INTEGER,
  seats_next INTEGER,
  PRIMARY KEY (original_transaction_key, begins_at)
) STRICT, WITHOUT ROWID;
-- These indexes find the subscriptions that a server asks Apple about. Their periods are those that nobody confirmed,
-- those after which access may end, and those that ended lately.
CREATE INDEX entitlement_period_unconfirmed ON entitlement_period (begins_at) WHERE confirmed = 0;
CREATE INDEX entitlement_period_of_failed_payment ON entitlement_period (ends_at)
  WHERE state IN ('grace_period', 'billing_retry');
-- Evidence that states nothing of a renewal confirms an end too, such as a transaction that Apple signed again.
CREATE INDEX entitlement_period_ended ON entitlement_period (begins_at) WHERE state = 'expired' AND confirmed = 1;

-- The original transactions whose periods wait to be derived. A transaction that is about many of them leaves them for
-- the end of its import. Until then, entitlement_period has no rows of them, and the program derives what it is asked.
CREATE TABLE entitlement_period_gap (
  original_transaction_key INTEGER PRIMARY KEY,
  -- 1: a program with other rules recorded evidence about it. Then every stored answer of it waits to be derived, not
  -- only its periods.
  is_by_other_rules INTEGER NOT NULL DEFAULT 0 CHECK (is_by_other_rules IN (0, 1))
) STRICT;

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
-- A report reads single deltas of one day only: of the day of as_of.
CREATE INDEX projection_metric_delta_of_effective_day ON projection_metric_delta ((effective_at / 86400000));

-- The metric deltas of all original transactions, added up. There is one sum for each measure with its dimensions, each
-- day, and each day on which deltas became effective. A report reads as many rows as there are days and dimensions, and
-- not as many as there are payments. effective_day counts days since 1970. The program writes it with
-- projection_metric_delta in one transaction.
CREATE TABLE projection_metric_delta_sum (
  dimensions_id INTEGER NOT NULL,
  day_at INTEGER NOT NULL,
  effective_day INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (dimensions_id, day_at, effective_day)
) STRICT, WITHOUT ROWID;

-- The original transactions whose metric deltas are up to date. Recording evidence about one of them removes its row.
CREATE TABLE projection_metric_coverage (
  original_transaction_key INTEGER PRIMARY KEY
) STRICT;

-- The digest of the generated part of the schema: views, triggers and the lists of sealed tables. A program with another
-- digest generates that part again. The other digests are those of the views, without comments, from which the stored
-- answers and the stored metric deltas come. A program with another one derives them again.
CREATE TABLE generated_schema (
  digest TEXT NOT NULL,
  answer_digest TEXT NOT NULL,
  metric_digest TEXT NOT NULL,
  -- The version of the program that generated the views and triggers. An older program leaves them as they are.
  program_version TEXT NOT NULL DEFAULT '0'
) STRICT;
