-- What Apple said of transactions, renewals and states: each distinct object once, as a statement, and each time that
-- it was said, as a version. A daily poll repeats a customer's rows unchanged; only the saying is new.
--
-- Columns carry Apple's field names in snake_case; money is in milliunits of `currency`; flags are 0 or 1; NULL means
-- that Apple did not say.

-- One subscription relationship (or one-time purchase). Ids are opaque text.
CREATE TABLE line (
  line_id INTEGER PRIMARY KEY,
  environment TEXT NOT NULL,
  original_transaction_id TEXT NOT NULL,
  UNIQUE (original_transaction_id, environment)
) STRICT;

CREATE TABLE store_transaction (
  transaction_key INTEGER PRIMARY KEY,
  line_id INTEGER NOT NULL REFERENCES line,
  transaction_id TEXT NOT NULL,
  UNIQUE (transaction_id, line_id)
) STRICT;

-- One object exactly as Apple wrote it; of a signed one the decoded payload, beside its header and signature.
CREATE TABLE statement (
  statement_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  source TEXT NOT NULL,
  header_id INTEGER REFERENCES jws_header,
  signature BLOB CHECK ((signature IS NULL) = (header_id IS NULL))
) STRICT;

CREATE TABLE transaction_statement (
  statement_id INTEGER PRIMARY KEY REFERENCES statement,
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
  previous_original_transaction_id TEXT
) STRICT;

CREATE TABLE renewal_statement (
  statement_id INTEGER PRIMARY KEY REFERENCES statement,
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
  commitment_renewal_price_milliunits INTEGER
) STRICT;

-- Each time a statement about a transaction was made. source_rank: 1 JWS, 2 latest_receipt_info, 3 in_app.
-- position: where in the payload's source it stood, in bytes.
CREATE TABLE transaction_version (
  version_id INTEGER PRIMARY KEY,
  payload_id INTEGER NOT NULL REFERENCES payload,
  line_id INTEGER NOT NULL REFERENCES line,
  transaction_key INTEGER NOT NULL REFERENCES store_transaction,
  statement_id INTEGER NOT NULL REFERENCES transaction_statement,
  source_rank INTEGER NOT NULL,
  signed_at INTEGER,
  position INTEGER
) STRICT;
CREATE INDEX transaction_version_of_line ON transaction_version (line_id, transaction_key);
CREATE INDEX transaction_version_of_payload ON transaction_version (payload_id);

CREATE TABLE renewal_version (
  version_id INTEGER PRIMARY KEY,
  payload_id INTEGER NOT NULL REFERENCES payload,
  line_id INTEGER NOT NULL REFERENCES line,
  statement_id INTEGER NOT NULL REFERENCES renewal_statement,
  source_rank INTEGER NOT NULL,
  signed_at INTEGER,
  position INTEGER
) STRICT;
CREATE INDEX renewal_version_of_line ON renewal_version (line_id);
CREATE INDEX renewal_version_of_payload ON renewal_version (payload_id);

-- Apple's own word for a line's state: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
CREATE TABLE status_claim (
  claim_id INTEGER PRIMARY KEY,
  payload_id INTEGER NOT NULL REFERENCES payload,
  line_id INTEGER NOT NULL REFERENCES line,
  status INTEGER NOT NULL,
  signed_at INTEGER,
  -- purchaseDate of the transaction that came with it.
  purchase_at INTEGER
) STRICT;
CREATE INDEX status_claim_of_line ON status_claim (line_id);
CREATE INDEX status_claim_of_payload ON status_claim (payload_id);

-- What other evidence calls a product that does not expire by itself (rules §9); see the view one_time_purchase.
CREATE INDEX transaction_statement_type ON transaction_statement (product_id, type)
WHERE type <> 'Auto-Renewable Subscription';
