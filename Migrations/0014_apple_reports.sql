-- Reports of App Store Connect: Apple's own figures. They are never evidence of a purchase, and change no answer.
--
-- The text of each report is stored as it was downloaded, and sealed. The figures are read from it: they are its rows,
-- summed over the columns that a figure does not have. Those are the subscriber's anonymous id and what customers typed
-- as their state. So no row of a table pairs a subscriber's id with anything.
--
-- A day of Apple's is a Pacific day. Columns that end in day_at hold the first millisecond of the date in UTC.

-- Each different text of a report. Of several texts of one report, the one that was recorded last counts.
CREATE TABLE apple_report (
  report_id INTEGER PRIMARY KEY,
  -- sales, subscription, subscription_event, subscriber or offer_code_redemption.
  type TEXT NOT NULL,
  -- The version of its columns, such as 1_3. NULL: columns of no known version.
  version TEXT,
  vendor_number TEXT,
  first_day_at INTEGER NOT NULL,
  last_day_at INTEGER NOT NULL CHECK (last_day_at >= first_day_at),
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  row_count INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  origin_id INTEGER NOT NULL REFERENCES origin
) STRICT;
CREATE INDEX apple_report_of_day ON apple_report (type, first_day_at);

-- The bytes of the file, compressed or not. A long file is stored in several parts.
CREATE TABLE apple_report_content (
  report_id INTEGER NOT NULL REFERENCES apple_report,
  ordinal INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (report_id, ordinal)
) STRICT;

-- What figures are about, each different combination once.
CREATE TABLE apple_figure_dimensions (
  dimensions_id INTEGER PRIMARY KEY,
  measure TEXT NOT NULL,
  event TEXT,
  app_apple_id TEXT,
  product_apple_id TEXT,
  product_id TEXT,
  product_name TEXT,
  subscription_group_id TEXT,
  duration TEXT,
  offer_type TEXT,
  offer_name TEXT,
  offer_id TEXT,
  offer_duration TEXT,
  country TEXT,
  customer_currency TEXT,
  proceeds_currency TEXT,
  preserved_pricing TEXT,
  proceeds_reason TEXT,
  client TEXT,
  device TEXT,
  cancellation_reason TEXT,
  previous_product_apple_id TEXT,
  previous_product_name TEXT,
  product_type TEXT,
  renewal TEXT,
  order_type TEXT,
  customer_price_milliunits INTEGER,
  proceeds_milliunits INTEGER,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32)
) STRICT;

-- The figures of each report.
CREATE TABLE apple_figure (
  report_id INTEGER NOT NULL REFERENCES apple_report,
  figure_number INTEGER NOT NULL,
  dimensions_id INTEGER NOT NULL REFERENCES apple_figure_dimensions,
  day_at INTEGER NOT NULL,
  purchase_day_at INTEGER,
  original_start_day_at INTEGER,
  consecutive_paid_periods INTEGER,
  days_before_canceling INTEGER,
  days_canceled INTEGER,
  units INTEGER NOT NULL,
  customer_amount_milliunits INTEGER,
  proceeds_amount_milliunits INTEGER,
  row_count INTEGER NOT NULL,
  PRIMARY KEY (report_id, figure_number)
) STRICT, WITHOUT ROWID;
