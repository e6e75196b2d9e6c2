-- What metrics need beside the evidence: the calendar, and the exchange rates that the ledger's owner imported.

-- The months from 1970 to 2199 (UTC). With them, a duration in calendar months is a join in every engine.
CREATE TABLE calendar_month (
  month_number INTEGER PRIMARY KEY,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT;
CREATE INDEX calendar_month_of_start ON calendar_month (starts_at);
WITH RECURSIVE month (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM month WHERE number < 2759)
INSERT INTO calendar_month
SELECT
  number,
  CAST(strftime('%s', '1970-01-01', number || ' months') AS INTEGER) * 1000,
  CAST(strftime('%s', '1970-01-01', (number + 1) || ' months') AS INTEGER) * 1000
FROM month;

-- A rate for a day (UTC). It is valid until the next day that has a rate. One unit of `currency` is worth
-- rate_numerator / rate_denominator units of `into_currency`. The entry that was recorded last decides, and earlier
-- entries stay.
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
