-- The people who sign in at the support page, what they may do, and what they had open.

-- The users of the page. A user has one name for good, because the access log names it.
CREATE TABLE staff_user (
  staff_user_key INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;

-- The role of a user. The latest entry counts.
CREATE TABLE staff_user_role (
  entry_id INTEGER PRIMARY KEY,
  staff_user_key INTEGER NOT NULL REFERENCES staff_user,
  -- viewer, support, lead or admin. NULL: the user may not sign in any more.
  role TEXT,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX staff_user_role_of_user ON staff_user_role (staff_user_key);

-- The present password of each user. Former ones are not stored.
CREATE TABLE staff_user_password (
  staff_user_key INTEGER PRIMARY KEY REFERENCES staff_user,
  -- scrypt with its parameters, salt and result, as $scrypt$ln=15,r=8,p=3$salt$result with Base64.
  hash TEXT NOT NULL,
  entered_at INTEGER NOT NULL
) STRICT;

-- The sessions of users who signed in. Signing out removes the row.
CREATE TABLE staff_session (
  -- Of the secret, which the browser has, only its digest is stored.
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  staff_user_key INTEGER NOT NULL REFERENCES staff_user,
  began_at INTEGER NOT NULL,
  -- To the minute.
  last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX staff_session_of_user ON staff_session (staff_user_key);

-- A user of the page reads and changes, too. NULL: somebody else did.
ALTER TABLE access_log_entry ADD COLUMN staff_user_key INTEGER REFERENCES staff_user;
CREATE INDEX access_log_entry_of_staff_user ON access_log_entry (staff_user_key) WHERE staff_user_key IS NOT NULL;

-- A form of the page may arrive twice, too. The answers of one day are not worth a conversion.
DROP TABLE idempotent_answer;
CREATE TABLE idempotent_answer (
  -- Who sent the request: a token or a user.
  token_key INTEGER REFERENCES api_token,
  staff_user_key INTEGER REFERENCES staff_user,
  key_digest BLOB NOT NULL CHECK (length(key_digest) = 32),
  request_digest BLOB NOT NULL CHECK (length(request_digest) = 32),
  answer TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  CHECK ((token_key IS NULL) <> (staff_user_key IS NULL))
) STRICT;
CREATE UNIQUE INDEX idempotent_answer_of_token ON idempotent_answer (token_key, key_digest)
  WHERE token_key IS NOT NULL;
CREATE UNIQUE INDEX idempotent_answer_of_user ON idempotent_answer (staff_user_key, key_digest)
  WHERE staff_user_key IS NOT NULL;
CREATE INDEX idempotent_answer_of_instant ON idempotent_answer (entered_at);
