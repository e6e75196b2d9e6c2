-- What metrics need: exchange rates, as their owner told them, and the postings of every line, kept for speed.

-- A rate for a day (UTC), from which it holds until the next: so many units of `into_currency` (rate_numerator by
-- rate_denominator) one unit of `currency` is worth. The entry recorded last holds; earlier ones stay.
CREATE TABLE exchange_rate_entry (
  entry_id INTEGER PRIMARY KEY,
  currency TEXT NOT NULL,
  into_currency TEXT NOT NULL,
  day_at INTEGER NOT NULL,
  rate_numerator INTEGER NOT NULL CHECK (rate_numerator > 0),
  rate_denominator INTEGER NOT NULL CHECK (rate_denominator > 0),
  recorded_at INTEGER NOT NULL,
  origin_id INTEGER NOT NULL REFERENCES origin (origin_id)
) STRICT;
CREATE INDEX exchange_rate_entry_of_currency ON exchange_rate_entry (currency, into_currency, day_at);

CREATE TRIGGER exchange_rate_entry_refuses_update BEFORE UPDATE ON exchange_rate_entry
BEGIN SELECT RAISE(ABORT, 'exchange_rate_entry is appended to, never changed'); END;
CREATE TRIGGER exchange_rate_entry_refuses_delete BEFORE DELETE ON exchange_rate_entry
BEGIN SELECT RAISE(ABORT, 'exchange_rate_entry is appended to, never changed'); END;
CREATE TRIGGER exchange_rate_entry_refuses_replacement BEFORE INSERT ON exchange_rate_entry
WHEN NEW.entry_id > 0 AND EXISTS (SELECT 1 FROM exchange_rate_entry WHERE entry_id = NEW.entry_id)
BEGIN SELECT RAISE(FAIL, 'exchange_rate_entry: a row is never replaced'); END;

-- The rest is no evidence: emptied, it changes no answer, only its speed.

-- Whatever postings have in common: the measure and all dimensions.
CREATE TABLE projection_segment (
  segment_id INTEGER PRIMARY KEY,
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

-- What is posted for each line (see the view posting_derived).
CREATE TABLE projection_posting (
  posting_id INTEGER PRIMARY KEY,
  line_id INTEGER NOT NULL,
  segment_id INTEGER NOT NULL,
  day_at INTEGER NOT NULL,
  since_at INTEGER NOT NULL,
  amount INTEGER NOT NULL
) STRICT;
CREATE INDEX projection_posting_of_line ON projection_posting (line_id);
CREATE INDEX projection_posting_of_day ON projection_posting (segment_id, day_at, since_at, amount);

-- The lines whose postings are kept as all that is recorded of them says. Recording takes a line away.
CREATE TABLE projection_measured (
  line_id INTEGER PRIMARY KEY
) STRICT;

INSERT INTO sealed_table VALUES (39, 'exchange_rate_entry');
