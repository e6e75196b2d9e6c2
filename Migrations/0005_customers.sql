-- Customers, by the app's own ids, and what staff record about them. Entries have a date and are never changed.
--
-- recorded_at is when an entry was made. effective_at is when its effect begins (0: at the beginning of time). Of the
-- entries in effect at an instant, the one that was recorded last decides.

CREATE TABLE customer (
  customer_key INTEGER PRIMARY KEY,
  -- The app's own id, any text. An account token is the id of a customer until an entry links it to another customer.
  customer TEXT NOT NULL UNIQUE,
  salt INTEGER
) STRICT;

-- identifier: any id from Apple that names purchases. The evidence need not contain it yet.
CREATE TABLE customer_link_entry (
  entry_id INTEGER PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customer,
  identifier TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('link', 'unlink')),
  effective_at INTEGER NOT NULL,
  -- For a transfer: the other customer.
  other_customer_key INTEGER REFERENCES customer,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX customer_link_entry_of_identifier ON customer_link_entry (identifier);
CREATE INDEX customer_link_entry_of_customer ON customer_link_entry (customer_key);

CREATE TABLE customer_note (
  note_id INTEGER PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customer,
  text TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX customer_note_of_customer ON customer_note (customer_key);

-- Access that the app's staff grants. Apple does not know of it, and no metric counts it.
CREATE TABLE access_grant (
  grant_id INTEGER PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customer,
  entitlement TEXT NOT NULL,
  begins_at INTEGER NOT NULL,
  -- NULL: no end.
  ends_at INTEGER,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX access_grant_of_customer ON access_grant (customer_key);

CREATE TABLE access_grant_revocation (
  revocation_id INTEGER PRIMARY KEY,
  grant_id INTEGER NOT NULL REFERENCES access_grant,
  revoked_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX access_grant_revocation_of_grant ON access_grant_revocation (grant_id);
