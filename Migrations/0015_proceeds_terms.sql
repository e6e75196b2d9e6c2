-- The tax and the commission from which proceeds are estimated, as the ledger's owner states them. A row is valid until the
-- next row of the same term, country and app. For each day, the entry that was recorded last decides. The view
-- proceeds_term adds the rows that come with the program.
CREATE TABLE proceeds_term_entry (
  entry_id INTEGER PRIMARY KEY,
  -- tax, commission, reduced_commission or program.
  term TEXT NOT NULL,
  -- NULL: all storefronts.
  country TEXT,
  -- NULL: all apps.
  bundle_id TEXT,
  day_at INTEGER NOT NULL,
  -- In thousandths of a percent. NULL: the row of this day is removed.
  rate INTEGER CHECK (rate BETWEEN 0 AND 100000),
  source TEXT,
  entered_at INTEGER NOT NULL,
  origin_id INTEGER NOT NULL REFERENCES origin (origin_id)
) STRICT;
CREATE INDEX proceeds_term_entry_of_term ON proceeds_term_entry (term, day_at);
