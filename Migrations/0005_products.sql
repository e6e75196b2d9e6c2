-- What the ledger's owner imported beside the evidence: the app's own catalogue and exchange rates. The calendar is
-- here too, for durations and periods of reports.
--
-- The catalogue has names, types and durations of products, and the entitlements that they grant. It is not evidence
-- from Apple, and changes no purchase.

-- Each import that changes a product adds a version. A version holds everything that was known about the product then.
CREATE TABLE product_version (
  version_id INTEGER PRIMARY KEY,
  product_id TEXT NOT NULL,
  entered_at INTEGER NOT NULL,
  origin_id INTEGER NOT NULL REFERENCES origin,
  -- Apple's values: Auto-Renewable Subscription, Non-Renewing Subscription, Non-Consumable or Consumable.
  type TEXT,
  reference_name TEXT,
  subscription_group_identifier TEXT,
  subscription_group_name TEXT,
  -- 1 is the highest level of service in its group.
  service_level INTEGER,
  -- An ISO 8601 duration, and the same duration in calendar months and in days.
  period TEXT,
  period_months INTEGER,
  period_days INTEGER,
  is_family_shareable INTEGER CHECK (is_family_shareable IN (0, 1)),
  -- The app that sells the product. Two apps may sell products with the same id.
  bundle_id TEXT
) STRICT;
CREATE INDEX product_version_of_product ON product_version (product_id);

-- The texts about a product that customers read, in each language.
CREATE TABLE product_name (
  version_id INTEGER NOT NULL REFERENCES product_version,
  locale TEXT NOT NULL,
  display_name TEXT NOT NULL,
  description TEXT NOT NULL,
  PRIMARY KEY (version_id, locale)
) STRICT, WITHOUT ROWID;

-- The prices of a product. currency or storefront may be unknown. billing_plan_type is set for a product that is sold
-- with several plans.
CREATE TABLE product_price (
  version_id INTEGER NOT NULL REFERENCES product_version,
  ordinal INTEGER NOT NULL,
  price_milliunits INTEGER NOT NULL,
  currency TEXT,
  storefront TEXT,
  billing_plan_type TEXT,
  commitment_price_milliunits INTEGER,
  PRIMARY KEY (version_id, ordinal)
) STRICT, WITHOUT ROWID;

-- The offers of a product. offer_type has Apple's values: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
CREATE TABLE product_offer (
  version_id INTEGER NOT NULL REFERENCES product_version,
  ordinal INTEGER NOT NULL,
  offer_type INTEGER NOT NULL,
  offer_identifier TEXT,
  reference_name TEXT,
  -- FREE_TRIAL, PAY_AS_YOU_GO or PAY_UP_FRONT.
  offer_discount_type TEXT,
  period TEXT,
  period_count INTEGER,
  price_milliunits INTEGER,
  eligibility TEXT,
  is_stackable INTEGER CHECK (is_stackable IN (0, 1)),
  PRIMARY KEY (version_id, ordinal)
) STRICT, WITHOUT ROWID;

-- The app's entitlements that a product grants. The last entry for a product and entitlement decides.
CREATE TABLE product_entitlement_entry (
  entry_id INTEGER PRIMARY KEY,
  product_id TEXT NOT NULL,
  entitlement TEXT NOT NULL,
  is_granted INTEGER NOT NULL CHECK (is_granted IN (0, 1)),
  entered_at INTEGER NOT NULL,
  bundle_id TEXT
) STRICT;
CREATE INDEX product_entitlement_entry_of_product ON product_entitlement_entry (product_id, entitlement);

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
  entered_at INTEGER NOT NULL,
  origin_id INTEGER NOT NULL REFERENCES origin (origin_id)
) STRICT;
CREATE INDEX exchange_rate_entry_of_currency ON exchange_rate_entry (currency, into_currency, day_at);

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
