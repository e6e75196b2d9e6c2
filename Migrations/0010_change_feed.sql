-- The change feed of a server: every change of a state, for programs that follow them.

-- How far the change feed has read. No row: the feed has not begun.
CREATE TABLE change_feed_position (
  position_id INTEGER PRIMARY KEY CHECK (position_id = 1),
  transaction_version_id INTEGER NOT NULL,
  renewal_info_version_id INTEGER NOT NULL,
  grant_id INTEGER NOT NULL,
  grant_revocation_id INTEGER NOT NULL,
  link_entry_id INTEGER NOT NULL,
  advanced_at INTEGER NOT NULL,
  -- The run of the feed that the ids of its changes belong to. A restored file begins another one.
  epoch TEXT NOT NULL DEFAULT ''
) STRICT;

-- What the change feed stated last about each subscription, one-time purchase and grant. next_change_at is when that
-- can change by itself. kind: subscription (item_key is an original_transaction_key), one_time_purchase (a
-- transaction_key) or grant (a grant_id).
CREATE TABLE change_feed_state (
  kind TEXT NOT NULL CHECK (kind IN ('subscription', 'one_time_purchase', 'grant')),
  item_key INTEGER NOT NULL,
  original_transaction_key INTEGER,
  state TEXT NOT NULL,
  product_id TEXT,
  access_ends_at INTEGER,
  will_renew INTEGER,
  next_change_at INTEGER,
  PRIMARY KEY (kind, item_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX change_feed_state_of_original ON change_feed_state (original_transaction_key)
WHERE original_transaction_key IS NOT NULL;
CREATE INDEX change_feed_state_of_instant ON change_feed_state (next_change_at) WHERE next_change_at IS NOT NULL;

-- The change feed: one row for each change of state, in the order in which the server noticed them.
CREATE TABLE state_change (
  change_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('subscription', 'one_time_purchase', 'grant', 'link')),
  -- evidence: a payload was recorded. time: an instant passed. staff: somebody made an entry.
  cause TEXT NOT NULL CHECK (cause IN ('evidence', 'time', 'staff')),
  changed_at INTEGER NOT NULL,
  original_transaction_key INTEGER,
  transaction_key INTEGER,
  grant_id INTEGER,
  link_entry_id INTEGER,
  -- The newest payload about it. NULL: the cause is not evidence.
  payload_id INTEGER,
  former_state TEXT,
  former_product_id TEXT,
  former_access_ends_at INTEGER,
  former_will_renew INTEGER,
  state TEXT,
  product_id TEXT,
  access_ends_at INTEGER,
  will_renew INTEGER
) STRICT;
