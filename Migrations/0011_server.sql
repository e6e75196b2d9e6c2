-- What a server keeps in the file: the tokens of back ends, who looked at whom, repeated requests, and the change feed.

-- The tokens of programs that ask the server. Of a secret, only its digest is stored.
CREATE TABLE api_token (
  token_key INTEGER PRIMARY KEY,
  -- The public part of the token. Logs name it.
  token_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  -- Names with spaces between them, in alphabetical order.
  scopes TEXT NOT NULL,
  -- NULL: the server's default.
  requests_per_second INTEGER,
  -- NULL: it does not expire.
  expires_at INTEGER,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;

-- The secrets of a token, the first one and one for each rotation. A secret ends when a later one of its token says so.
CREATE TABLE api_token_secret (
  secret_id INTEGER PRIMARY KEY,
  token_key INTEGER NOT NULL REFERENCES api_token,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  -- When the earlier secrets of the token end. NULL for the first one.
  earlier_end_at INTEGER,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX api_token_secret_of_token ON api_token_secret (token_key);

CREATE TABLE api_token_revocation (
  token_key INTEGER PRIMARY KEY REFERENCES api_token,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;

-- When each token was last used, to the hour.
CREATE TABLE api_token_use (
  token_key INTEGER PRIMARY KEY REFERENCES api_token,
  last_used_at INTEGER NOT NULL
) STRICT;

-- Every look at a person, and every change, that a token made. It is written in the transaction of the change.
CREATE TABLE access_log_entry (
  entry_id INTEGER PRIMARY KEY,
  token_id TEXT NOT NULL,
  request_id TEXT NOT NULL,
  -- What was done: the name of the operation in the server's description of itself.
  operation TEXT NOT NULL,
  customer TEXT,
  original_transaction_id TEXT,
  as_of INTEGER,
  known_at INTEGER,
  reason TEXT,
  result_count INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX access_log_entry_of_customer ON access_log_entry (customer, recorded_at);
CREATE INDEX access_log_entry_of_token ON access_log_entry (token_id, recorded_at);

-- The answers to requests with an Idempotency-Key, for a day. They name nobody.
CREATE TABLE idempotent_answer (
  token_key INTEGER NOT NULL REFERENCES api_token,
  key_digest BLOB NOT NULL CHECK (length(key_digest) = 32),
  request_digest BLOB NOT NULL CHECK (length(request_digest) = 32),
  answer TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (token_key, key_digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotent_answer_of_instant ON idempotent_answer (recorded_at);

-- How far the change feed has read. No row: the feed has not begun.
CREATE TABLE change_feed_position (
  position_id INTEGER PRIMARY KEY CHECK (position_id = 1),
  transaction_version_id INTEGER NOT NULL,
  renewal_info_version_id INTEGER NOT NULL,
  grant_id INTEGER NOT NULL,
  grant_revocation_id INTEGER NOT NULL,
  link_entry_id INTEGER NOT NULL,
  advanced_at INTEGER NOT NULL
) STRICT;

-- What the change feed stated last about each subscription, one-time purchase and grant, and when that can change by
-- itself. kind: subscription (item_key is an original_transaction_key), one_time_purchase (a transaction_key) or grant
-- (a grant_id).
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
