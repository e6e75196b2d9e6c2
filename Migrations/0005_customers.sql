-- Customers, by the app's own ids, and what staff record about them: dated entries, never edits.
--
-- recorded_at: when the entry was made. effective_at: since when it holds (0: since ever). Of the entries that hold at
-- an instant, the one recorded last decides.

CREATE TABLE customer (
  customer_key INTEGER PRIMARY KEY,
  -- Any text of the app's own. An account token is a customer's id by itself until it is linked to another.
  customer TEXT NOT NULL UNIQUE
) STRICT;

-- identifier: any id of Apple's that names purchases, even one that no evidence names yet.
CREATE TABLE customer_link_entry (
  entry_id INTEGER PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customer,
  identifier TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('link', 'unlink')),
  effective_at INTEGER NOT NULL,
  -- Of a transfer, the customer on its other side.
  other_customer_key INTEGER REFERENCES customer,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL
) STRICT;
CREATE INDEX customer_link_entry_of_identifier ON customer_link_entry (identifier);
CREATE INDEX customer_link_entry_of_customer ON customer_link_entry (customer_key);

CREATE TABLE customer_note (
  note_id INTEGER PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customer,
  text TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL
) STRICT;
CREATE INDEX customer_note_of_customer ON customer_note (customer_key);

-- Access that the app grants by itself. Apple knows nothing of it, and no metric counts it.
CREATE TABLE access_grant (
  grant_id INTEGER PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customer,
  entitlement TEXT NOT NULL,
  begins_at INTEGER NOT NULL,
  -- NULL: without an end.
  ends_at INTEGER,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL
) STRICT;
CREATE INDEX access_grant_of_customer ON access_grant (customer_key);

CREATE TABLE access_grant_revocation (
  revocation_id INTEGER PRIMARY KEY,
  grant_id INTEGER NOT NULL REFERENCES access_grant,
  revoked_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL
) STRICT;
CREATE INDEX access_grant_revocation_of_grant ON access_grant_revocation (grant_id);
