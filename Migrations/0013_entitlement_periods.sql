-- The answers for what is known at present: the states of each subscription, from its first purchase on. Nothing in a
-- row changes from begins_at until ends_at (NULL: no end). The transaction that records evidence also writes the rows
-- of the subscriptions that the evidence is about, or names them in entitlement_period_gap.
--
-- The rows are those of the view state_history. `subledger audit` compares them.
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
  purchase_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER,
  grace_period_expires_at INTEGER,
  transaction_key INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  renewal_info_version_id INTEGER,
  PRIMARY KEY (original_transaction_key, begins_at)
) STRICT, WITHOUT ROWID;

-- The original transactions whose periods wait to be derived. A transaction that is about many of them leaves them for
-- the end of its import. Until then, entitlement_period has no rows of them.
CREATE TABLE entitlement_period_gap (
  original_transaction_key INTEGER PRIMARY KEY
) STRICT;

-- Without these rows, everything is derived again.
DELETE FROM projection_original_transaction;
