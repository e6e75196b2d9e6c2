-- Who may ask a server, and who read about whom. These tables have the tokens of back ends, the access log, the answers
-- to repeated requests, and the quota of senders without a token.

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
  entered_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;

-- The secrets of a token, the first one and one for each rotation. A later secret of the same token states when the
-- earlier ones end.
CREATE TABLE api_token_secret (
  secret_id INTEGER PRIMARY KEY,
  token_key INTEGER NOT NULL REFERENCES api_token,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  -- When the earlier secrets of the token end. NULL for the first one.
  earlier_end_at INTEGER,
  author TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX api_token_secret_of_token ON api_token_secret (token_key);

-- The tokens that were revoked.
CREATE TABLE api_token_revocation (
  token_key INTEGER PRIMARY KEY REFERENCES api_token,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;

-- When each token was last used, to the hour.
CREATE TABLE api_token_use (
  token_key INTEGER PRIMARY KEY REFERENCES api_token,
  last_used_at INTEGER NOT NULL
) STRICT;

-- Every reading about a person, by a token or by the command line, and every change that a token made. A change and its entry
-- are written in one transaction.
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
  entered_at INTEGER NOT NULL,
  salt INTEGER,
  -- The user's name on the machine of the command line. Then token_id is empty. NULL: a token asked.
  user_name TEXT
) STRICT;
CREATE INDEX access_log_entry_of_customer ON access_log_entry (customer, entered_at);
CREATE INDEX access_log_entry_of_original ON access_log_entry (original_transaction_id, entered_at)
  WHERE original_transaction_id IS NOT NULL;

-- The answers to requests with an Idempotency-Key, for a day. They name nobody.
CREATE TABLE idempotent_answer (
  token_key INTEGER NOT NULL REFERENCES api_token,
  key_digest BLOB NOT NULL CHECK (length(key_digest) = 32),
  request_digest BLOB NOT NULL CHECK (length(request_digest) = 32),
  answer TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  PRIMARY KEY (token_key, key_digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotent_answer_of_instant ON idempotent_answer (entered_at);

-- How much senders without a token put into quarantine on each day, and how much more they sent. With it, a server
-- limits how much of the file they can fill.
CREATE TABLE anonymous_quarantine_day (
  -- The begin of a day of UTC.
  day INTEGER PRIMARY KEY,
  payload_count INTEGER NOT NULL,
  byte_count INTEGER NOT NULL,
  -- What was beyond the quota, or came while the disk was nearly full. Only its number, length and last digest remain.
  left_out_count INTEGER NOT NULL,
  left_out_byte_count INTEGER NOT NULL,
  last_left_out_digest BLOB CHECK (length(last_left_out_digest) = 32)
) STRICT;
