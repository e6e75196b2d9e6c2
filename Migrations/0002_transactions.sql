-- Apple's objects: each text of a transaction, renewal info or app transaction once, and a version each time that a
-- payload stated it. A daily poll repeats a customer's rows unchanged: it adds versions, and no texts. Within its
-- transaction a text has its digest for an identity, so a search touches only pages of the same transaction.
--
-- What Apple stated about seats has tables of its own, because few objects state any. Seats belong to subscriptions
-- that one buys for many.
--
-- Columns carry Apple's field names in snake_case. Money is in milliunits of `currency`. Flags are 0 or 1. NULL means
-- that Apple did not state the field.

-- One subscription relationship (or one-time purchase). Ids are opaque text.
CREATE TABLE original_transaction (
  original_transaction_key INTEGER PRIMARY KEY,
  environment TEXT NOT NULL,
  original_transaction_id TEXT NOT NULL,
  UNIQUE (original_transaction_id, environment)
) STRICT;

-- What Apple stated of a transaction: each different text once, with its typed fields.
CREATE TABLE transaction_info (
  transaction_info_id INTEGER PRIMARY KEY,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  transaction_id TEXT NOT NULL,
  -- The number of the transaction: transaction_info_id of the first text of this transaction_id and original
  -- transaction.
  transaction_key INTEGER NOT NULL REFERENCES transaction_info,
  product_id TEXT,
  purchase_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  is_upgraded INTEGER NOT NULL CHECK (is_upgraded IN (0, 1)),
  original_purchase_at INTEGER,
  bundle_id TEXT,
  web_order_line_item_id TEXT,
  subscription_group_identifier TEXT,
  type TEXT,
  in_app_ownership_type TEXT,
  quantity INTEGER,
  transaction_reason TEXT,
  revocation_reason INTEGER,
  revocation_type TEXT,
  revocation_percentage INTEGER,
  is_trial_period INTEGER,
  is_in_intro_offer_period INTEGER,
  offer_type INTEGER,
  offer_identifier TEXT,
  offer_discount_type TEXT,
  offer_period TEXT,
  storefront TEXT,
  storefront_id TEXT,
  price_milliunits INTEGER,
  currency TEXT,
  app_account_token TEXT,
  app_transaction_id TEXT,
  billing_plan_type TEXT,
  commitment_billing_period_number INTEGER,
  commitment_total_billing_periods INTEGER,
  commitment_price_milliunits INTEGER,
  commitment_expires_at INTEGER,
  previous_original_transaction_id TEXT,
  -- The text exactly as Apple wrote it. Of a signed one: its decoded payload, beside the header and the signature.
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  header_id INTEGER REFERENCES jws_header,
  signature BLOB CHECK ((signature IS NULL) = (header_id IS NULL)),
  template_id INTEGER REFERENCES text_template,
  source TEXT NOT NULL,
  salt INTEGER
) STRICT;
-- Eight bytes of a digest distinguish the texts of one transaction.
CREATE INDEX transaction_info_of_transaction
ON transaction_info (transaction_id, original_transaction_key, substr(digest, 1, 8));
-- From an original transaction to its transactions. So an answer about one subscription reads only this subscription,
-- in any SQL tool.
CREATE INDEX transaction_info_of_original
ON transaction_info (original_transaction_key) WHERE transaction_info_id = transaction_key;
-- For searches by that id, which a restore repeats.
CREATE INDEX transaction_info_of_web_order_line_item
ON transaction_info (web_order_line_item_id, original_transaction_key) WHERE web_order_line_item_id IS NOT NULL;
-- For the type that other evidence states of a product that does not expire by itself (rules §9).
CREATE INDEX transaction_info_type ON transaction_info (product_id, type)
WHERE type <> 'Auto-Renewable Subscription';

-- What Apple stated of the seats of a transaction. The number of seats is transaction_info.quantity.
CREATE TABLE transaction_seat_info (
  transaction_info_id INTEGER PRIMARY KEY REFERENCES transaction_info,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  additional_transaction_reason TEXT,
  invitation_management TEXT,
  revoked_seat_quantity INTEGER
) STRICT;
-- For the few subscriptions with seats. All others are derived without reading this table for each transaction.
CREATE INDEX transaction_seat_info_of_original ON transaction_seat_info (original_transaction_key);

-- The seats that a transaction bought at each price. The quantities add up to transaction_info.quantity.
CREATE TABLE transaction_price_tier (
  transaction_info_id INTEGER NOT NULL REFERENCES transaction_info,
  ordinal INTEGER NOT NULL,
  price_milliunits INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  PRIMARY KEY (transaction_info_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What Apple stated of a subscription's renewal: each different text once, with its typed fields.
CREATE TABLE renewal_info (
  renewal_info_id INTEGER PRIMARY KEY,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  product_id TEXT,
  auto_renew_product_id TEXT,
  auto_renew_status INTEGER,
  expiration_intent INTEGER,
  is_in_billing_retry_period INTEGER,
  grace_period_expires_at INTEGER,
  auto_renew_status_changed_at INTEGER,
  price_increase_status INTEGER,
  price_consent_status INTEGER,
  offer_type INTEGER,
  offer_identifier TEXT,
  offer_discount_type TEXT,
  offer_period TEXT,
  renewal_at INTEGER,
  renewal_price_milliunits INTEGER,
  currency TEXT,
  recent_subscription_start_at INTEGER,
  eligible_win_back_offer_ids TEXT,
  app_account_token TEXT,
  app_transaction_id TEXT,
  renewal_billing_plan_type TEXT,
  commitment_auto_renew_product_id TEXT,
  commitment_auto_renew_status INTEGER,
  commitment_renewal_billing_plan_type TEXT,
  commitment_renewal_at INTEGER,
  commitment_renewal_price_milliunits INTEGER,
  -- The text exactly as Apple wrote it. Of a signed one: its decoded payload, beside the header and the signature.
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  header_id INTEGER REFERENCES jws_header,
  signature BLOB CHECK ((signature IS NULL) = (header_id IS NULL)),
  template_id INTEGER REFERENCES text_template,
  source TEXT NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX renewal_info_of_original ON renewal_info (original_transaction_key, substr(digest, 1, 8));

-- What Apple stated of the seats at the next renewal.
CREATE TABLE renewal_seat_info (
  renewal_info_id INTEGER PRIMARY KEY REFERENCES renewal_info,
  renewal_quantity INTEGER
) STRICT;

-- The seats at each price at the next renewal.
CREATE TABLE renewal_price_tier (
  renewal_info_id INTEGER NOT NULL REFERENCES renewal_info,
  ordinal INTEGER NOT NULL,
  price_milliunits INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  PRIMARY KEY (renewal_info_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Each time that a payload stated a transaction. source_rank: 1 JWS, 2 latest_receipt_info, 3 in_app.
-- A row of a receipt that stands in both with the same text is one version, of the stronger rank.
CREATE TABLE transaction_version (
  version_id INTEGER PRIMARY KEY,
  payload_id INTEGER NOT NULL REFERENCES payload,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  transaction_key INTEGER NOT NULL REFERENCES transaction_info,
  transaction_info_id INTEGER NOT NULL REFERENCES transaction_info,
  source_rank INTEGER NOT NULL,
  signed_at INTEGER
) STRICT;
CREATE INDEX transaction_version_of_original ON transaction_version (original_transaction_key, transaction_key);
CREATE INDEX transaction_version_of_payload ON transaction_version (payload_id);

-- Each time that a payload stated a renewal info.
CREATE TABLE renewal_info_version (
  version_id INTEGER PRIMARY KEY,
  payload_id INTEGER NOT NULL REFERENCES payload,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  renewal_info_id INTEGER NOT NULL REFERENCES renewal_info,
  source_rank INTEGER NOT NULL,
  signed_at INTEGER
) STRICT;
CREATE INDEX renewal_info_version_of_original ON renewal_info_version (original_transaction_key);
CREATE INDEX renewal_info_version_of_payload ON renewal_info_version (payload_id);

-- Apple's own status of a subscription: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
CREATE TABLE status_claim (
  claim_id INTEGER PRIMARY KEY,
  payload_id INTEGER NOT NULL REFERENCES payload,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  status INTEGER NOT NULL,
  signed_at INTEGER,
  -- purchaseDate of the transaction that came with it.
  purchase_at INTEGER
) STRICT;
CREATE INDEX status_claim_of_original ON status_claim (original_transaction_key);
CREATE INDEX status_claim_of_payload ON status_claim (payload_id);

-- Ids of Apple's that lead to original transactions: app_account_token, app_transaction_id, order_id and
-- previous_original_transaction_id. The other ids have indexes of their own (see int_identifier).
CREATE TABLE original_transaction_identifier (
  identifier TEXT NOT NULL,
  kind TEXT NOT NULL,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  PRIMARY KEY (identifier, kind, original_transaction_key)
) STRICT, WITHOUT ROWID;
-- From an original transaction to its ids.
CREATE INDEX original_transaction_identifier_of_original ON original_transaction_identifier (original_transaction_key);

-- What Apple stated of an app transaction, the purchase or first download of the app itself: each different text once,
-- with its typed fields.
CREATE TABLE app_transaction_info (
  app_transaction_info_id INTEGER PRIMARY KEY,
  app_transaction_id TEXT,
  bundle_id TEXT,
  app_apple_id TEXT,
  application_version TEXT,
  original_application_version TEXT,
  original_purchase_at INTEGER,
  preorder_at INTEGER,
  original_platform TEXT,
  -- The text exactly as Apple wrote it. Of a signed one: its decoded payload, beside the header and the signature.
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  header_id INTEGER REFERENCES jws_header,
  signature BLOB CHECK ((signature IS NULL) = (header_id IS NULL)),
  template_id INTEGER REFERENCES text_template,
  source TEXT NOT NULL,
  salt INTEGER
) STRICT;

-- Each time that a payload stated an app transaction.
CREATE TABLE app_transaction_version (
  version_id INTEGER PRIMARY KEY,
  payload_id INTEGER NOT NULL REFERENCES payload,
  environment TEXT NOT NULL,
  app_transaction_info_id INTEGER NOT NULL REFERENCES app_transaction_info,
  signed_at INTEGER
) STRICT;
CREATE INDEX app_transaction_version_of_info ON app_transaction_version (app_transaction_info_id);
