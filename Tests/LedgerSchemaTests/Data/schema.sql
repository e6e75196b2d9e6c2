CREATE TABLE schema_migration (name TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TABLE origin (
  origin_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  salt INTEGER
) STRICT;

CREATE TABLE jws_header (
  header_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  text TEXT NOT NULL
) STRICT;

CREATE TABLE root_certificate (
  root_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  name TEXT NOT NULL,
  -- 1: Apple Root CA G3. 0: a root that was added with --trust.
  is_apple INTEGER NOT NULL CHECK (is_apple IN (0, 1))
) STRICT;

CREATE TABLE text_form (
  form_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  text TEXT NOT NULL,
  salt INTEGER
) STRICT;

CREATE TABLE payload (
  payload_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  kind TEXT NOT NULL,
  trust TEXT NOT NULL CHECK (trust IN ('verified', 'unsigned', 'unverified')),
  environment TEXT NOT NULL,
  bundle_id TEXT,
  app_apple_id TEXT,
  -- The instant that Apple states for the whole payload: signedDate, request_date_ms or receipt_creation_date_ms.
  stated_at INTEGER,
  -- The greatest past-facing date inside (rules §1), for payloads that state no instant.
  inferred_at INTEGER,
  -- The status of verifyReceipt if it is not 0, or the code of an API error.
  receipt_status INTEGER,
  -- What the caller must do after a failed response: retry, ask_sandbox, ask_production, mend_request or permanent.
  failure TEXT,
  source TEXT NOT NULL,
  header_id INTEGER REFERENCES jws_header,
  signature BLOB CHECK ((signature IS NULL) = (header_id IS NULL)),
  form_id INTEGER REFERENCES text_form,
  -- The root that every signature in the payload leads to. NULL: a part of the payload is not signed.
  root_id INTEGER REFERENCES root_certificate,
  -- The positions of objects and payloads in `source`. Each one, in order, has a letter: `t` (transaction_info), `r`
  -- (renewal_info), `a` (app_transaction_info) or `p` (payload). Then comes the distance in bytes from the one before.
  -- After a comma comes the difference of its number from that of the one of its kind before: `t1203,55 t880,1 r12,7`.
  layout TEXT,
  salt INTEGER
) STRICT;

CREATE TABLE delivery (
  payload_id INTEGER NOT NULL REFERENCES payload,
  received_at INTEGER NOT NULL,
  -- 1: the caller gave the instant to the importer. 0: the instant is from the importer's own clock.
  is_explicit INTEGER NOT NULL CHECK (is_explicit IN (0, 1)),
  origin_id INTEGER NOT NULL REFERENCES origin,
  -- The number of the line in the file.
  source_line INTEGER,
  PRIMARY KEY (payload_id, received_at, is_explicit)
) STRICT, WITHOUT ROWID;

CREATE TABLE payload_part (
  part_id INTEGER NOT NULL REFERENCES payload,
  payload_id INTEGER NOT NULL REFERENCES payload,
  PRIMARY KEY (part_id, payload_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE problem (
  payload_id INTEGER NOT NULL REFERENCES payload,
  ordinal INTEGER NOT NULL,
  code TEXT NOT NULL,
  path TEXT NOT NULL,
  value TEXT NOT NULL,
  salt INTEGER,
  PRIMARY KEY (payload_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX problem_contradiction ON problem (payload_id) WHERE code = 'contradictory_date';

CREATE TABLE payload_mention (
  identifier TEXT NOT NULL,
  -- transaction_id, original_transaction_id, web_order_line_item_id or notification_uuid.
  kind TEXT NOT NULL,
  payload_id INTEGER NOT NULL REFERENCES payload,
  PRIMARY KEY (identifier, kind, payload_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE receipt_data (
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  text TEXT NOT NULL,
  salt INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE quarantine (
  quarantine_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  reason TEXT NOT NULL,
  path TEXT NOT NULL,
  byte_offset INTEGER,
  detail TEXT NOT NULL,
  advice TEXT NOT NULL,
  byte_count INTEGER NOT NULL,
  origin_id INTEGER NOT NULL REFERENCES origin,
  source_line INTEGER,
  received_at INTEGER NOT NULL,
  is_explicit INTEGER NOT NULL CHECK (is_explicit IN (0, 1)),
  salt INTEGER
) STRICT;

CREATE TABLE quarantine_bytes (
  quarantine_id INTEGER NOT NULL REFERENCES quarantine,
  ordinal INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  salt INTEGER,
  PRIMARY KEY (quarantine_id, ordinal)
) STRICT;

CREATE TABLE quarantine_release (
  quarantine_id INTEGER PRIMARY KEY REFERENCES quarantine,
  released_at INTEGER NOT NULL
) STRICT;

CREATE TABLE quarantine_mention (
  identifier TEXT NOT NULL,
  kind TEXT NOT NULL,
  quarantine_id INTEGER NOT NULL REFERENCES quarantine,
  PRIMARY KEY (identifier, kind, quarantine_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE original_transaction (
  original_transaction_key INTEGER PRIMARY KEY,
  environment TEXT NOT NULL,
  original_transaction_id TEXT NOT NULL,
  UNIQUE (original_transaction_id, environment)
) STRICT;

CREATE TABLE transaction_info (
  transaction_info_id INTEGER PRIMARY KEY,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  transaction_id TEXT NOT NULL,
  -- The number of the transaction: transaction_info_id of the first text of this transaction_id and original transaction.
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
  form_id INTEGER REFERENCES text_form,
  source TEXT NOT NULL,
  salt INTEGER
) STRICT;

CREATE INDEX transaction_info_of_transaction
ON transaction_info (transaction_id, original_transaction_key, substr(digest, 1, 8));

CREATE INDEX transaction_info_of_web_order_line_item
ON transaction_info (web_order_line_item_id, original_transaction_key) WHERE web_order_line_item_id IS NOT NULL;

CREATE INDEX transaction_info_type ON transaction_info (product_id, type)
WHERE type <> 'Auto-Renewable Subscription';

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
  form_id INTEGER REFERENCES text_form,
  source TEXT NOT NULL,
  salt INTEGER
) STRICT;

CREATE INDEX renewal_info_of_original ON renewal_info (original_transaction_key, substr(digest, 1, 8));

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

CREATE TABLE original_transaction_identifier (
  identifier TEXT NOT NULL,
  kind TEXT NOT NULL,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  PRIMARY KEY (identifier, kind, original_transaction_key)
) STRICT, WITHOUT ROWID;

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
  form_id INTEGER REFERENCES text_form,
  source TEXT NOT NULL,
  salt INTEGER
) STRICT;

CREATE TABLE app_transaction_version (
  version_id INTEGER PRIMARY KEY,
  payload_id INTEGER NOT NULL REFERENCES payload,
  environment TEXT NOT NULL,
  app_transaction_info_id INTEGER NOT NULL REFERENCES app_transaction_info,
  signed_at INTEGER
) STRICT;

CREATE INDEX app_transaction_version_of_payload ON app_transaction_version (payload_id);

CREATE TABLE notification (
  payload_id INTEGER PRIMARY KEY REFERENCES payload,
  notification_type TEXT NOT NULL,
  subtype TEXT,
  notification_uuid TEXT,
  version TEXT,
  original_transaction_key INTEGER REFERENCES original_transaction,
  consumption_request_reason TEXT,
  bundle_version TEXT,
  external_purchase_id TEXT,
  external_purchase_token_type TEXT,
  external_purchase_token_created_at INTEGER,
  external_purchase_token_expires_at INTEGER,
  request_identifier TEXT,
  summary_product_id TEXT,
  succeeded_count INTEGER,
  failed_count INTEGER
) STRICT;

CREATE INDEX notification_of_original
ON notification (original_transaction_key) WHERE original_transaction_key IS NOT NULL;

CREATE INDEX notification_of_uuid ON notification (notification_uuid) WHERE notification_uuid IS NOT NULL;

CREATE TABLE send_attempt (
  payload_id INTEGER NOT NULL REFERENCES payload,
  ordinal INTEGER NOT NULL,
  notification_id INTEGER NOT NULL REFERENCES payload,
  attempted_at INTEGER NOT NULL,
  result TEXT,
  PRIMARY KEY (payload_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX send_attempt_of_notification ON send_attempt (notification_id);

CREATE TABLE order_lookup (
  payload_id INTEGER NOT NULL REFERENCES payload,
  order_id TEXT NOT NULL,
  PRIMARY KEY (order_id, payload_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX order_lookup_of_payload ON order_lookup (payload_id);

CREATE TABLE client_event (
  payload_id INTEGER PRIMARY KEY REFERENCES payload,
  -- updated or removed.
  event TEXT NOT NULL,
  -- purchasing, purchased, failed, deferred or restored.
  transaction_state TEXT,
  transaction_id TEXT,
  original_transaction_id TEXT,
  product_id TEXT NOT NULL,
  customer TEXT,
  app_account_token TEXT,
  device TEXT,
  -- The owner of the sequence of purchases: the customer, else the account token, else the device.
  queue TEXT NOT NULL,
  -- The instant on the device's clock.
  happened_at INTEGER NOT NULL,
  error_domain TEXT,
  error_code INTEGER,
  error_message TEXT,
  salt INTEGER
) STRICT;

CREATE INDEX client_event_of_queue ON client_event (queue);

CREATE INDEX client_event_of_transaction ON client_event (transaction_id) WHERE transaction_id IS NOT NULL;

CREATE INDEX client_event_of_customer ON client_event (customer) WHERE customer IS NOT NULL;

CREATE INDEX client_event_of_token ON client_event (app_account_token) WHERE app_account_token IS NOT NULL;

CREATE TABLE product_version (
  version_id INTEGER PRIMARY KEY,
  product_id TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
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

CREATE TABLE product_name (
  version_id INTEGER NOT NULL REFERENCES product_version,
  locale TEXT NOT NULL,
  display_name TEXT NOT NULL,
  description TEXT NOT NULL,
  PRIMARY KEY (version_id, locale)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE product_entitlement_entry (
  entry_id INTEGER PRIMARY KEY,
  product_id TEXT NOT NULL,
  entitlement TEXT NOT NULL,
  is_granted INTEGER NOT NULL CHECK (is_granted IN (0, 1)),
  recorded_at INTEGER NOT NULL,
  bundle_id TEXT
) STRICT;

CREATE INDEX product_entitlement_entry_of_product ON product_entitlement_entry (product_id, entitlement);

CREATE TABLE customer (
  customer_key INTEGER PRIMARY KEY,
  -- The app's own id, any text. An account token is the id of a customer until an entry links it to another customer.
  customer TEXT NOT NULL UNIQUE,
  salt INTEGER
) STRICT;

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

CREATE TABLE calendar_month (
  month_number INTEGER PRIMARY KEY,
  starts_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT;

CREATE INDEX calendar_month_of_start ON calendar_month (starts_at);

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

CREATE TABLE projection_transaction (
  original_transaction_key INTEGER NOT NULL,
  transaction_key INTEGER NOT NULL,
  known_from INTEGER NOT NULL,
  known_until INTEGER,
  version_id INTEGER NOT NULL,
  evidence_at INTEGER NOT NULL,
  source_rank INTEGER NOT NULL,
  purchase_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  is_upgraded INTEGER NOT NULL,
  PRIMARY KEY (original_transaction_key, transaction_key, known_from)
) STRICT, WITHOUT ROWID;

CREATE TABLE projection_renewal_info (
  original_transaction_key INTEGER NOT NULL,
  evidence_at INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (original_transaction_key, evidence_at, version_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE projection_metric_dimensions (
  dimensions_id INTEGER PRIMARY KEY,
  -- All dimensions as one text, which is different for each row.
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

CREATE TABLE projection_metric_delta (
  delta_id INTEGER PRIMARY KEY,
  original_transaction_key INTEGER NOT NULL,
  dimensions_id INTEGER NOT NULL,
  day_at INTEGER NOT NULL,
  effective_at INTEGER NOT NULL,
  amount INTEGER NOT NULL
) STRICT;

CREATE INDEX projection_metric_delta_of_transaction ON projection_metric_delta (original_transaction_key);

CREATE TABLE projection_metric_coverage (
  original_transaction_key INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE sealed_table (
  table_number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE erasable_column (
  table_number INTEGER NOT NULL REFERENCES sealed_table,
  column_name TEXT NOT NULL,
  -- 1: the column holds an id of a person, and an erasure may write only its pseudonym there.
  is_identity INTEGER NOT NULL CHECK (is_identity IN (0, 1)),
  PRIMARY KEY (table_number, column_name)
) STRICT, WITHOUT ROWID;

CREATE TABLE erasable_table (
  table_number INTEGER PRIMARY KEY REFERENCES sealed_table
) STRICT;

CREATE TABLE seal (
  seal_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  row_count INTEGER NOT NULL,
  rows BLOB NOT NULL
) STRICT;

CREATE TABLE erasure (
  erasure_id INTEGER PRIMARY KEY,
  pseudonym TEXT NOT NULL,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL
) STRICT;

CREATE TABLE erased_text (
  kind TEXT NOT NULL CHECK (
    kind IN ('payload', 'transaction_info', 'renewal_info', 'app_transaction_info', 'quarantine', 'receipt_data')
  ),
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  erasure_id INTEGER NOT NULL REFERENCES erasure,
  PRIMARY KEY (kind, digest, erasure_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE rewritten_row (
  rewriting_id INTEGER PRIMARY KEY,
  erasure_id INTEGER NOT NULL REFERENCES erasure,
  table_number INTEGER NOT NULL REFERENCES sealed_table,
  row_key BLOB NOT NULL,
  former BLOB NOT NULL CHECK (length(former) = 32 OR length(former) % 33 = 0),
  -- The present digest of the row. NULL: the row was removed.
  digest BLOB CHECK (length(digest) = 32)
) STRICT;

CREATE INDEX transaction_info_of_original
ON transaction_info (original_transaction_key) WHERE transaction_info_id = transaction_key;

CREATE INDEX original_transaction_identifier_of_original ON original_transaction_identifier (original_transaction_key);

CREATE TABLE customer_link_target (
  entry_id INTEGER NOT NULL REFERENCES customer_link_entry,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  PRIMARY KEY (entry_id, original_transaction_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX customer_link_target_of_original ON customer_link_target (original_transaction_key);

CREATE TABLE projection_metric_delta_sum (
  dimensions_id INTEGER NOT NULL,
  day_at INTEGER NOT NULL,
  effective_day INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (dimensions_id, day_at, effective_day)
) STRICT, WITHOUT ROWID;

CREATE INDEX projection_metric_delta_of_effective_day ON projection_metric_delta ((effective_at / 86400000));

CREATE TABLE api_token (
  token_key INTEGER PRIMARY KEY,
  -- The public part of the token. Logs name it.
  token_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  -- Names with spaces between them, in alphabetical order.
  scopes TEXT NOT NULL,
  -- NULL: the server's default.
  requests_per_second INTEGER,
  -- NULL: it does not expire.
  expires_at INTEGER,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;

CREATE TABLE api_token_secret (
  secret_id INTEGER PRIMARY KEY,
  token_key INTEGER NOT NULL REFERENCES api_token,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  -- When the earlier secrets of the token end. NULL for the first one.
  earlier_end_at INTEGER,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;

CREATE INDEX api_token_secret_of_token ON api_token_secret (token_key);

CREATE TABLE api_token_revocation (
  token_key INTEGER PRIMARY KEY REFERENCES api_token,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;

CREATE TABLE api_token_use (
  token_key INTEGER PRIMARY KEY REFERENCES api_token,
  last_used_at INTEGER NOT NULL
) STRICT;

CREATE TABLE access_log_entry (
  entry_id INTEGER PRIMARY KEY,
  token_id TEXT NOT NULL,
  request_id TEXT NOT NULL,
  -- What was done: the name of the operation in the server's description of itself.
  operation TEXT NOT NULL,
  customer TEXT,
  original_transaction_id TEXT,
  as_of INTEGER,
  known_at INTEGER,
  reason TEXT,
  result_count INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;

CREATE INDEX access_log_entry_of_customer ON access_log_entry (customer, recorded_at);

CREATE INDEX access_log_entry_of_token ON access_log_entry (token_id, recorded_at);

CREATE TABLE idempotent_answer (
  token_key INTEGER NOT NULL REFERENCES api_token,
  key_digest BLOB NOT NULL CHECK (length(key_digest) = 32),
  request_digest BLOB NOT NULL CHECK (length(request_digest) = 32),
  answer TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (token_key, key_digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotent_answer_of_instant ON idempotent_answer (recorded_at);

CREATE TABLE change_feed_position (
  position_id INTEGER PRIMARY KEY CHECK (position_id = 1),
  transaction_version_id INTEGER NOT NULL,
  renewal_info_version_id INTEGER NOT NULL,
  grant_id INTEGER NOT NULL,
  grant_revocation_id INTEGER NOT NULL,
  link_entry_id INTEGER NOT NULL,
  advanced_at INTEGER NOT NULL
, epoch TEXT NOT NULL DEFAULT '') STRICT;

CREATE TABLE change_feed_state (
  kind TEXT NOT NULL CHECK (kind IN ('subscription', 'one_time_purchase', 'grant')),
  item_key INTEGER NOT NULL,
  original_transaction_key INTEGER,
  state TEXT NOT NULL,
  product_id TEXT,
  access_ends_at INTEGER,
  will_renew INTEGER,
  next_change_at INTEGER,
  PRIMARY KEY (kind, item_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX change_feed_state_of_original ON change_feed_state (original_transaction_key)
WHERE original_transaction_key IS NOT NULL;

CREATE INDEX change_feed_state_of_instant ON change_feed_state (next_change_at) WHERE next_change_at IS NOT NULL;

CREATE TABLE state_change (
  change_id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('subscription', 'one_time_purchase', 'grant', 'link')),
  -- evidence: a payload was recorded. time: an instant passed. staff: somebody made an entry.
  cause TEXT NOT NULL CHECK (cause IN ('evidence', 'time', 'staff')),
  changed_at INTEGER NOT NULL,
  original_transaction_key INTEGER,
  transaction_key INTEGER,
  grant_id INTEGER,
  link_entry_id INTEGER,
  -- The newest payload about it. NULL: the cause is not evidence.
  payload_id INTEGER,
  former_state TEXT,
  former_product_id TEXT,
  former_access_ends_at INTEGER,
  former_will_renew INTEGER,
  state TEXT,
  product_id TEXT,
  access_ends_at INTEGER,
  will_renew INTEGER
) STRICT;

CREATE TABLE anonymous_quarantine_day (
  -- The begin of a day of UTC.
  day INTEGER PRIMARY KEY,
  payload_count INTEGER NOT NULL,
  byte_count INTEGER NOT NULL,
  -- What was beyond the quota, or came while the disk was nearly full. Only its number, length and last digest remain.
  left_out_count INTEGER NOT NULL,
  left_out_byte_count INTEGER NOT NULL,
  last_left_out_digest BLOB CHECK (length(last_left_out_digest) = 32)
) STRICT;

CREATE TABLE projection_original_transaction (
  original_transaction_key INTEGER PRIMARY KEY REFERENCES original_transaction,
  -- The latest recorded_at of any evidence about it. The stored answers are for this known_at and later ones.
  last_recorded_at INTEGER NOT NULL,
  evidence_at INTEGER NOT NULL,
  -- 1: a payload with evidence about it contradicts itself.
  is_contradicted INTEGER NOT NULL CHECK (is_contradicted IN (0, 1)),
  -- The lowest trust of its evidence: 0 not signed, 1 signed, 2 signed by Apple. A query that excludes such evidence
  -- derives the subscription from the rest.
  least_trust INTEGER NOT NULL CHECK (least_trust IN (0, 1, 2))
) STRICT;

CREATE INDEX projection_original_transaction_of_recorded ON projection_original_transaction (last_recorded_at);

CREATE TABLE entitlement_period (
  original_transaction_key INTEGER NOT NULL,
  begins_at INTEGER NOT NULL,
  ends_at INTEGER,
  product_id TEXT,
  state TEXT NOT NULL,
  has_access INTEGER NOT NULL,
  access_ends_at INTEGER,
  confirmed INTEGER NOT NULL,
  will_renew INTEGER,
  next_product_id TEXT,
  expiration_reason TEXT,
  rule TEXT NOT NULL,
  evidence_at INTEGER NOT NULL,
  purchase_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER,
  grace_period_expires_at INTEGER,
  transaction_key INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  renewal_info_version_id INTEGER,
  PRIMARY KEY (original_transaction_key, begins_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE generated_schema (
  digest TEXT NOT NULL,
  answer_digest TEXT NOT NULL,
  metric_digest TEXT NOT NULL
, program_version TEXT NOT NULL DEFAULT '0') STRICT;

CREATE TABLE entitlement_period_gap (
  original_transaction_key INTEGER PRIMARY KEY
, is_by_other_rules INTEGER NOT NULL DEFAULT 0 CHECK (is_by_other_rules IN (0, 1))) STRICT;

CREATE VIEW app_transaction_info_value AS
SELECT app_transaction_info_id, 'x' AS letter, app_transaction_id AS value FROM app_transaction_info
UNION ALL
SELECT app_transaction_info_id, 'q', CAST(original_purchase_at AS TEXT) FROM app_transaction_info;

CREATE VIEW app_transaction_info_text AS
SELECT
  w.app_transaction_info_id,
  lower(hex(w.digest)) AS digest,
  CASE
    WHEN w.form_id IS NULL THEN w.source
    ELSE (
      -- A step writes the value of one place and the text of the form behind it, and reads the value of the next place.
      -- `letter` and `value` are of the place; of G and P, `value` is the value before. `words` is the text behind a
      -- place G, which waits for the next value. `form` and `vals` are what is left.
      WITH RECURSIVE filled (text, letter, value, words, form, vals) AS (
        SELECT '', '', '', NULL, f.text || char(31), w.source || char(31)
        UNION ALL
        SELECT
          CASE letter
            WHEN 'G' THEN text
            WHEN 'P' THEN
              text || strftime(
                '%Y-%m-%d %H:%M:%S',
                substr(value, 1, 10) - CASE
                  WHEN substr(value, 1, 10) + 0 BETWEEN
                    strftime('%s', strftime('%Y', substr(value, 1, 10), 'unixepoch') || '-03-08', 'weekday 0') + 36000
                    AND strftime('%s', strftime('%Y', substr(value, 1, 10), 'unixepoch') || '-11-01', 'weekday 0') + 32399
                    THEN 25200
                  ELSE 28800
                END, 'unixepoch'
              ) || ' America/Los_Angeles' || substr(form, 1, instr(form, char(31)) - 1)
            ELSE
              text || COALESCE(
                strftime('%Y-%m-%d %H:%M:%S', substr(value, 1, 10), 'unixepoch') || ' Etc/GMT' || words, ''
              ) || value || substr(form, 1, instr(form, char(31)) - 1)
          END,
          CASE
            WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[A-Za-z]'
              THEN substr(form, instr(form, char(31)) + 1, 1)
            ELSE ''
          END,
          CASE
            WHEN substr(form, instr(form, char(31)) + 1, 1) IN ('G', 'P') THEN value
            WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[a-z]'
              THEN (
                SELECT v.value FROM app_transaction_info_value v
                WHERE v.app_transaction_info_id = w.app_transaction_info_id
                  AND v.letter = substr(form, instr(form, char(31)) + 1, 1)
              )
            ELSE substr(vals, 1, instr(vals, char(31)) - 1)
          END,
          CASE WHEN letter = 'G' THEN substr(form, 1, instr(form, char(31)) - 1) END,
          substr(
            form, instr(form, char(31))
              + CASE WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[A-Za-z]' THEN 2 ELSE 1 END
          ),
          CASE
            WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[A-Za-z]' THEN vals
            ELSE substr(vals, instr(vals, char(31)) + 1)
          END
        FROM filled WHERE form <> ''
      )
      SELECT text FROM filled WHERE form = ''
    )
  END AS source
FROM app_transaction_info w LEFT JOIN text_form f ON f.form_id = w.form_id;

CREATE VIEW int_customer_candidate AS
SELECT
  n.identifier AS customer, n.original_transaction_key, CAST(0 AS BIGINT) AS effective_at,
  CAST(0 AS BIGINT) AS recorded_at
FROM original_transaction_identifier n
WHERE n.kind = 'app_account_token'
UNION ALL
SELECT c.customer, x.original_transaction_key, e.effective_at, e.recorded_at
FROM customer c
JOIN customer_link_entry e ON e.customer_key = c.customer_key
JOIN customer_link_target x ON x.entry_id = e.entry_id;

CREATE VIEW metric_measure AS
SELECT 'active_subscriptions' AS metric, 'amount' AS part, 'active_subscriptions' AS measure, 'balance' AS kind,
  1 AS factor
UNION ALL SELECT 'active_trials', 'amount', 'active_trials', 'balance', 1
UNION ALL SELECT 'auto_renew_off', 'amount', 'auto_renew_off', 'balance', 1
UNION ALL SELECT 'auto_renew_off', 'of', 'active_subscriptions', 'balance', 1
UNION ALL SELECT 'in_grace', 'amount', 'in_grace', 'balance', 1
UNION ALL SELECT 'in_billing_retry', 'amount', 'in_billing_retry', 'balance', 1
UNION ALL SELECT 'family_members', 'amount', 'family_members', 'balance', 1
UNION ALL SELECT 'seats', 'amount', 'seats', 'balance', 1
UNION ALL SELECT 'mrr', 'amount', 'recurring', 'balance', 1
UNION ALL SELECT 'arr', 'amount', 'recurring', 'balance', 12
UNION ALL SELECT 'active_unpriced', 'amount', 'active_unpriced', 'balance', 1
UNION ALL SELECT 'active_movement', 'amount', 'new_paid', 'flow', 1
UNION ALL SELECT 'active_movement', 'amount', 'resubscribed', 'flow', 1
UNION ALL SELECT 'active_movement', 'amount', 'churned', 'flow', -1
UNION ALL SELECT 'new_paid', 'amount', 'new_paid', 'flow', 1
UNION ALL SELECT 'resubscribed', 'amount', 'resubscribed', 'flow', 1
UNION ALL SELECT 'churned', 'amount', 'churned', 'flow', 1
UNION ALL SELECT 'switched_in', 'amount', 'switched_in', 'flow', 1
UNION ALL SELECT 'switched_out', 'amount', 'switched_out', 'flow', 1
UNION ALL SELECT 'churn_rate', 'amount', 'churned', 'flow', 1
UNION ALL SELECT 'churn_rate', 'amount', 'resubscribed', 'flow', -1
UNION ALL SELECT 'churn_rate', 'of', 'active_subscriptions', 'opening', 1
UNION ALL SELECT 'revenue_gross', 'amount', 'revenue_gross', 'flow', 1
UNION ALL SELECT 'revenue_refunded', 'amount', 'revenue_refunded', 'flow', 1
UNION ALL SELECT 'revenue', 'amount', 'revenue_gross', 'flow', 1
UNION ALL SELECT 'revenue', 'amount', 'revenue_refunded', 'flow', -1
UNION ALL SELECT 'refunds', 'amount', 'refunds', 'flow', 1
UNION ALL SELECT 'refunds_paid', 'amount', 'refunds_paid', 'flow', 1
UNION ALL SELECT 'refund_rate', 'amount', 'transactions_refunded', 'flow', 1
UNION ALL SELECT 'refund_rate', 'of', 'transactions_paid', 'flow', 1
UNION ALL SELECT 'refund_rate_by_amount', 'amount', 'revenue_refunded', 'flow', 1
UNION ALL SELECT 'refund_rate_by_amount', 'of', 'revenue_gross', 'flow', 1
UNION ALL SELECT 'refund_requests', 'amount', 'refund_requests', 'flow', 1
UNION ALL SELECT 'transactions_paid', 'amount', 'transactions_paid', 'flow', 1
UNION ALL SELECT 'transactions_unpriced', 'amount', 'transactions_unpriced', 'flow', 1
UNION ALL SELECT 'trial_starts', 'amount', 'trials_started', 'flow', 1
UNION ALL SELECT 'trial_conversion', 'amount', 'trials_converted', 'flow', 1
UNION ALL SELECT 'trial_conversion', 'of', 'trials_started', 'flow', 1
UNION ALL SELECT 'offers_redeemed', 'amount', 'offers_redeemed', 'flow', 1
UNION ALL SELECT 'grace_entered', 'amount', 'grace_entered', 'flow', 1
UNION ALL SELECT 'grace_recovery', 'amount', 'grace_recovered', 'flow', 1
UNION ALL SELECT 'grace_recovery', 'of', 'grace_recovered', 'flow', 1
UNION ALL SELECT 'grace_recovery', 'of', 'grace_lost', 'flow', 1
UNION ALL SELECT 'retry_entered', 'amount', 'retry_entered', 'flow', 1
UNION ALL SELECT 'retry_recovery', 'amount', 'retry_recovered', 'flow', 1
UNION ALL SELECT 'retry_recovery', 'of', 'retry_recovered', 'flow', 1
UNION ALL SELECT 'retry_recovery', 'of', 'retry_lost', 'flow', 1
UNION ALL SELECT 'recovery_days', 'amount', 'grace_recovered', 'flow', 1
UNION ALL SELECT 'recovery_days', 'amount', 'retry_recovered', 'flow', 1
UNION ALL SELECT 'price_consent', 'amount', 'price_consent', 'flow', 1
UNION ALL SELECT 'retention', 'amount', 'retained', 'flow', 1
UNION ALL SELECT 'retention', 'amount', 'retained_joined', 'flow', 1
UNION ALL SELECT 'retention', 'of', 'due', 'flow', 1
UNION ALL SELECT 'retention', 'of', 'due_joined', 'flow', 1
UNION ALL SELECT 'retention_unbroken', 'amount', 'retained', 'flow', 1
UNION ALL SELECT 'retention_unbroken', 'amount', 'retained_unbroken', 'flow', 1
UNION ALL SELECT 'retention_unbroken', 'of', 'due', 'flow', 1
UNION ALL SELECT 'retention_unbroken', 'of', 'due_unbroken', 'flow', 1;

CREATE VIEW param_clearance AS
SELECT CAST(600000 AS BIGINT) AS patience;

CREATE VIEW param_query AS
SELECT
  CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) AS as_of,
  CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) AS known_at,
  0 AS least_trust;

CREATE VIEW exchange_rate AS
SELECT
  known_at, currency, into_currency, day_at AS begins_at,
  COALESCE(
    LEAD(day_at) OVER (PARTITION BY known_at, currency, into_currency ORDER BY day_at), 9223372036854775807
  ) AS ends_at,
  rate_numerator, rate_denominator
FROM (
  SELECT
    q.known_at, e.currency, e.into_currency, e.day_at, e.rate_numerator, e.rate_denominator,
    ROW_NUMBER() OVER (
      PARTITION BY q.known_at, e.currency, e.into_currency, e.day_at
        ORDER BY e.recorded_at DESC, e.entry_id DESC, q.as_of
    ) AS row_rank
  FROM param_query q
  CROSS JOIN exchange_rate_entry e
  WHERE e.recorded_at <= q.known_at
) entered
WHERE row_rank = 1;

CREATE VIEW int_catalogue_app AS
WITH app AS (
  SELECT q.as_of, q.known_at,
    v.bundle_id FROM param_query q CROSS JOIN product_version v WHERE v.recorded_at <= q.known_at
  UNION
  SELECT q.as_of, q.known_at, e.bundle_id
  FROM param_query q CROSS JOIN product_entitlement_entry e
  WHERE e.recorded_at <= q.known_at
)
SELECT as_of, known_at, bundle_id AS named, bundle_id FROM app WHERE bundle_id IS NOT NULL
UNION ALL
SELECT as_of, known_at, '', MIN(bundle_id) FROM app GROUP BY as_of, known_at HAVING MIN(bundle_id) = MAX(bundle_id);

CREATE VIEW int_linked_identifier AS
SELECT q.as_of, q.known_at, e.identifier, e.customer_key
FROM param_query q
JOIN customer_link_entry e ON e.effective_at <= q.as_of AND e.recorded_at <= q.known_at
WHERE e.action = 'link'
  AND NOT EXISTS (
    SELECT 1 FROM customer_link_entry f
    WHERE f.identifier = e.identifier AND f.customer_key = e.customer_key AND f.entry_id > e.entry_id
      AND f.effective_at <= q.as_of AND f.recorded_at <= q.known_at
  );

CREATE VIEW param_queue_scope AS
SELECT q.as_of, q.known_at, e.queue
FROM param_query q CROSS JOIN (SELECT DISTINCT queue FROM client_event) e;

CREATE VIEW param_report AS
SELECT
  'Production' AS environment, CAST(NULL AS VARCHAR(255)) AS bundle_id, CAST(NULL AS VARCHAR(64)) AS metric,
  'none' AS dimension, CAST(NULL AS VARCHAR(3)) AS currency;

CREATE VIEW param_report_day AS
SELECT
  m.starts_at + (t.number * 10 + u.number) * 86400000 AS day_at,
  m.month_number - f.first_month + 1 AS period_number
FROM calendar_month m
CROSS JOIN (SELECT 0 AS number UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) t
CROSS JOIN (
  SELECT 0 AS number UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
  UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9
) u
CROSS JOIN (
  SELECT MAX(c.month_number) - 24 AS first_month, MAX(c.month_number) AS last_month
  FROM calendar_month c
  CROSS JOIN param_query q
  WHERE c.starts_at <= q.as_of
) f
WHERE m.month_number >= f.first_month AND m.month_number <= f.last_month
  AND m.starts_at + (t.number * 10 + u.number) * 86400000 < m.ends_at;

CREATE VIEW param_report_period AS
SELECT period_number, MIN(day_at) AS begins_at, MAX(day_at) + 86400000 AS ends_at
FROM param_report_day
GROUP BY period_number;

CREATE VIEW param_subscription AS
SELECT original_transaction_key FROM original_transaction;

CREATE VIEW int_scope_derived AS
SELECT q.as_of, q.known_at, s.original_transaction_key
FROM param_query q
CROSS JOIN param_subscription s
CROSS JOIN projection_original_transaction l
LEFT JOIN entitlement_period_gap g ON g.original_transaction_key = s.original_transaction_key
WHERE l.original_transaction_key = s.original_transaction_key
  AND (
    l.last_recorded_at > q.known_at OR l.least_trust < q.least_trust OR g.original_transaction_key IS NOT NULL
    OR q.least_trust > 0 AND EXISTS (
      SELECT 1 FROM original_transaction_identifier i
      WHERE i.original_transaction_key = s.original_transaction_key AND i.kind = 'order_id'
    )
  );

CREATE VIEW int_scope_known AS
SELECT q.known_at, s.original_transaction_key
FROM (SELECT known_at FROM param_query GROUP BY known_at) q CROSS JOIN param_subscription s;

CREATE VIEW int_renewal_info_rank AS
SELECT
  a.known_at, r.original_transaction_key, r.version_id,
  ROW_NUMBER() OVER (
    PARTITION BY a.known_at, r.original_transaction_key, r.evidence_at
    ORDER BY v.source_rank, s.digest DESC, p.digest DESC
  ) AS row_rank
FROM int_scope_known a
CROSS JOIN projection_renewal_info r
JOIN renewal_info_version v ON v.version_id = r.version_id
JOIN renewal_info s ON s.renewal_info_id = v.renewal_info_id
JOIN payload p ON p.payload_id = v.payload_id
WHERE r.original_transaction_key = a.original_transaction_key AND r.recorded_at <= a.known_at
  AND EXISTS (
    SELECT 1
    FROM projection_renewal_info o
    WHERE o.original_transaction_key = r.original_transaction_key AND o.evidence_at = r.evidence_at
      AND o.version_id <> r.version_id AND o.recorded_at <= a.known_at
  );

CREATE VIEW int_renewal_info_history AS
SELECT
  a.known_at, r.original_transaction_key, r.evidence_at, r.version_id, s.product_id, s.auto_renew_product_id,
  s.auto_renew_status, s.expiration_intent, s.is_in_billing_retry_period, s.grace_period_expires_at,
  s.price_increase_status,
  CASE WHEN v.source_rank = 1 THEN v.signed_at END AS signed_at,
  COALESCE(k.row_rank, 1) AS row_rank,
  CASE WHEN k.row_rank IS NULL THEN 0 ELSE 1 END AS is_tied
FROM int_scope_known a
CROSS JOIN projection_renewal_info r
JOIN renewal_info_version v ON v.version_id = r.version_id
JOIN renewal_info s ON s.renewal_info_id = v.renewal_info_id
LEFT JOIN int_renewal_info_rank k ON k.known_at = a.known_at AND k.version_id = r.version_id
WHERE r.original_transaction_key = a.original_transaction_key AND r.recorded_at <= a.known_at;

CREATE VIEW int_renewal_info_tie AS
SELECT known_at, original_transaction_key, evidence_at, product_id, MIN(row_rank) AS row_rank
FROM int_renewal_info_history
WHERE is_tied = 1 AND product_id IS NOT NULL
GROUP BY known_at, original_transaction_key, evidence_at, product_id;

CREATE VIEW param_scope AS
SELECT q.as_of, q.known_at, s.original_transaction_key
FROM param_query q CROSS JOIN param_subscription s;

CREATE VIEW payload_value AS
SELECT payload_id, 'd' AS letter, CAST(stated_at AS TEXT) AS value FROM payload
UNION ALL
SELECT payload_id, 'u', notification_uuid FROM notification;

CREATE VIEW payload_rest_text AS
SELECT
  w.payload_id,
  lower(hex(w.digest)) AS digest,
  CASE
    WHEN w.form_id IS NULL THEN w.source
    ELSE (
      -- A step writes the value of one place and the text of the form behind it, and reads the value of the next place.
      -- `letter` and `value` are of the place; of G and P, `value` is the value before. `words` is the text behind a
      -- place G, which waits for the next value. `form` and `vals` are what is left.
      WITH RECURSIVE filled (text, letter, value, words, form, vals) AS (
        SELECT '', '', '', NULL, f.text || char(31), w.source || char(31)
        UNION ALL
        SELECT
          CASE letter
            WHEN 'G' THEN text
            WHEN 'P' THEN
              text || strftime(
                '%Y-%m-%d %H:%M:%S',
                substr(value, 1, 10) - CASE
                  WHEN substr(value, 1, 10) + 0 BETWEEN
                    strftime('%s', strftime('%Y', substr(value, 1, 10), 'unixepoch') || '-03-08', 'weekday 0') + 36000
                    AND strftime('%s', strftime('%Y', substr(value, 1, 10), 'unixepoch') || '-11-01', 'weekday 0') + 32399
                    THEN 25200
                  ELSE 28800
                END, 'unixepoch'
              ) || ' America/Los_Angeles' || substr(form, 1, instr(form, char(31)) - 1)
            ELSE
              text || COALESCE(
                strftime('%Y-%m-%d %H:%M:%S', substr(value, 1, 10), 'unixepoch') || ' Etc/GMT' || words, ''
              ) || value || substr(form, 1, instr(form, char(31)) - 1)
          END,
          CASE
            WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[A-Za-z]'
              THEN substr(form, instr(form, char(31)) + 1, 1)
            ELSE ''
          END,
          CASE
            WHEN substr(form, instr(form, char(31)) + 1, 1) IN ('G', 'P') THEN value
            WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[a-z]'
              THEN (
                SELECT v.value FROM payload_value v
                WHERE v.payload_id = w.payload_id
                  AND v.letter = substr(form, instr(form, char(31)) + 1, 1)
              )
            ELSE substr(vals, 1, instr(vals, char(31)) - 1)
          END,
          CASE WHEN letter = 'G' THEN substr(form, 1, instr(form, char(31)) - 1) END,
          substr(
            form, instr(form, char(31))
              + CASE WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[A-Za-z]' THEN 2 ELSE 1 END
          ),
          CASE
            WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[A-Za-z]' THEN vals
            ELSE substr(vals, instr(vals, char(31)) + 1)
          END
        FROM filled WHERE form <> ''
      )
      SELECT text FROM filled WHERE form = ''
    )
  END AS source
FROM payload w LEFT JOIN text_form f ON f.form_id = w.form_id;

CREATE VIEW product AS
SELECT
  as_of, known_at, bundle_id, product_id, type, reference_name, subscription_group_identifier,
  subscription_group_name, service_level, period, period_months, period_days, is_family_shareable, recorded_at,
  version_id
FROM (
  SELECT
    q.as_of, q.known_at, v.*,
    ROW_NUMBER() OVER (
      PARTITION BY q.as_of, q.known_at, v.bundle_id, v.product_id ORDER BY v.recorded_at DESC, v.version_id DESC
    ) AS row_rank
  FROM param_query q
  CROSS JOIN product_version v
  WHERE v.recorded_at <= q.known_at
) ranked
WHERE row_rank = 1;

CREATE VIEW renewal_info_value AS
SELECT w.renewal_info_id, 'o' AS letter, o.original_transaction_id AS value
FROM renewal_info w JOIN original_transaction o ON o.original_transaction_key = w.original_transaction_key
UNION ALL
SELECT renewal_info_id, 'g', CAST(grace_period_expires_at AS TEXT) FROM renewal_info
UNION ALL
SELECT renewal_info_id, 'n', CAST(renewal_at AS TEXT) FROM renewal_info
UNION ALL
SELECT renewal_info_id, 's', CAST(recent_subscription_start_at AS TEXT) FROM renewal_info
UNION ALL
SELECT renewal_info_id, 'a', app_account_token FROM renewal_info
UNION ALL
SELECT renewal_info_id, 'x', app_transaction_id FROM renewal_info;

CREATE VIEW renewal_info_text AS
SELECT
  w.renewal_info_id,
  lower(hex(w.digest)) AS digest,
  CASE
    WHEN w.form_id IS NULL THEN w.source
    ELSE (
      -- A step writes the value of one place and the text of the form behind it, and reads the value of the next place.
      -- `letter` and `value` are of the place; of G and P, `value` is the value before. `words` is the text behind a
      -- place G, which waits for the next value. `form` and `vals` are what is left.
      WITH RECURSIVE filled (text, letter, value, words, form, vals) AS (
        SELECT '', '', '', NULL, f.text || char(31), w.source || char(31)
        UNION ALL
        SELECT
          CASE letter
            WHEN 'G' THEN text
            WHEN 'P' THEN
              text || strftime(
                '%Y-%m-%d %H:%M:%S',
                substr(value, 1, 10) - CASE
                  WHEN substr(value, 1, 10) + 0 BETWEEN
                    strftime('%s', strftime('%Y', substr(value, 1, 10), 'unixepoch') || '-03-08', 'weekday 0') + 36000
                    AND strftime('%s', strftime('%Y', substr(value, 1, 10), 'unixepoch') || '-11-01', 'weekday 0') + 32399
                    THEN 25200
                  ELSE 28800
                END, 'unixepoch'
              ) || ' America/Los_Angeles' || substr(form, 1, instr(form, char(31)) - 1)
            ELSE
              text || COALESCE(
                strftime('%Y-%m-%d %H:%M:%S', substr(value, 1, 10), 'unixepoch') || ' Etc/GMT' || words, ''
              ) || value || substr(form, 1, instr(form, char(31)) - 1)
          END,
          CASE
            WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[A-Za-z]'
              THEN substr(form, instr(form, char(31)) + 1, 1)
            ELSE ''
          END,
          CASE
            WHEN substr(form, instr(form, char(31)) + 1, 1) IN ('G', 'P') THEN value
            WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[a-z]'
              THEN (
                SELECT v.value FROM renewal_info_value v
                WHERE v.renewal_info_id = w.renewal_info_id
                  AND v.letter = substr(form, instr(form, char(31)) + 1, 1)
              )
            ELSE substr(vals, 1, instr(vals, char(31)) - 1)
          END,
          CASE WHEN letter = 'G' THEN substr(form, 1, instr(form, char(31)) - 1) END,
          substr(
            form, instr(form, char(31))
              + CASE WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[A-Za-z]' THEN 2 ELSE 1 END
          ),
          CASE
            WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[A-Za-z]' THEN vals
            ELSE substr(vals, instr(vals, char(31)) + 1)
          END
        FROM filled WHERE form <> ''
      )
      SELECT text FROM filled WHERE form = ''
    )
  END AS source
FROM renewal_info w LEFT JOIN text_form f ON f.form_id = w.form_id;

CREATE VIEW rule_constant AS
SELECT
  CAST(5184000000 AS BIGINT) AS billing_retry_duration, CAST(86400000 AS BIGINT) AS approval_duration,
  CAST(300000 AS BIGINT) AS clock_difference, CAST(2764800000 AS BIGINT) AS month_limit;

CREATE VIEW signed_app_transaction_info_text AS
SELECT
  w.app_transaction_info_id,
  h.text || '.' || (
    WITH RECURSIVE coded (part, data, byte_offset) AS (
      SELECT 1, CAST(t.source AS BLOB), 1
      UNION ALL
      SELECT 2, w.signature, 1
      UNION ALL
      SELECT part, data, byte_offset + 3 FROM coded WHERE byte_offset + 3 <= length(data)
    ),
    hexed (part, byte_offset, byte_count, digits) AS MATERIALIZED (
      SELECT part, byte_offset, min(length(data) - byte_offset + 1, 3), hex(substr(data, byte_offset,
        3)) || '0000' FROM coded
    ),
    digit (part, byte_offset, byte_count, d1, d2, d3, d4, d5, d6) AS MATERIALIZED (
      SELECT
        part, byte_offset, byte_count,
        instr('123456789ABCDEF', substr(digits, 1, 1)), instr('123456789ABCDEF', substr(digits, 2, 1)),
        instr('123456789ABCDEF', substr(digits, 3, 1)), instr('123456789ABCDEF', substr(digits, 4, 1)),
        instr('123456789ABCDEF', substr(digits, 5, 1)), instr('123456789ABCDEF', substr(digits, 6, 1))
      FROM hexed
    ),
    letter (part, byte_offset, text) AS (
      SELECT
        d.part, d.byte_offset,
        substr(
          substr(a.letters, d1 * 4 + d2 / 4 + 1, 1) || substr(a.letters, d2 % 4 * 16 + d3 + 1, 1)
            || substr(a.letters, d4 * 4 + d5 / 4 + 1, 1) || substr(a.letters, d5 % 4 * 16 + d6 + 1, 1),
          1, byte_count + 1)
      FROM digit d
      CROSS JOIN (SELECT 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_' AS letters) a
      UNION ALL
      SELECT 2, 0, '.'
    )
    SELECT
      group_concat(text, '') OVER (ORDER BY part, byte_offset ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    FROM letter
    LIMIT 1
  ) AS source
FROM app_transaction_info w
JOIN jws_header h ON h.header_id = w.header_id
JOIN app_transaction_info_text t ON t.app_transaction_info_id = w.app_transaction_info_id;

CREATE VIEW signed_renewal_info_text AS
SELECT
  w.renewal_info_id,
  h.text || '.' || (
    WITH RECURSIVE coded (part, data, byte_offset) AS (
      SELECT 1, CAST(t.source AS BLOB), 1
      UNION ALL
      SELECT 2, w.signature, 1
      UNION ALL
      SELECT part, data, byte_offset + 3 FROM coded WHERE byte_offset + 3 <= length(data)
    ),
    hexed (part, byte_offset, byte_count, digits) AS MATERIALIZED (
      SELECT part, byte_offset, min(length(data) - byte_offset + 1, 3), hex(substr(data, byte_offset,
        3)) || '0000' FROM coded
    ),
    digit (part, byte_offset, byte_count, d1, d2, d3, d4, d5, d6) AS MATERIALIZED (
      SELECT
        part, byte_offset, byte_count,
        instr('123456789ABCDEF', substr(digits, 1, 1)), instr('123456789ABCDEF', substr(digits, 2, 1)),
        instr('123456789ABCDEF', substr(digits, 3, 1)), instr('123456789ABCDEF', substr(digits, 4, 1)),
        instr('123456789ABCDEF', substr(digits, 5, 1)), instr('123456789ABCDEF', substr(digits, 6, 1))
      FROM hexed
    ),
    letter (part, byte_offset, text) AS (
      SELECT
        d.part, d.byte_offset,
        substr(
          substr(a.letters, d1 * 4 + d2 / 4 + 1, 1) || substr(a.letters, d2 % 4 * 16 + d3 + 1, 1)
            || substr(a.letters, d4 * 4 + d5 / 4 + 1, 1) || substr(a.letters, d5 % 4 * 16 + d6 + 1, 1),
          1, byte_count + 1)
      FROM digit d
      CROSS JOIN (SELECT 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_' AS letters) a
      UNION ALL
      SELECT 2, 0, '.'
    )
    SELECT
      group_concat(text, '') OVER (ORDER BY part, byte_offset ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    FROM letter
    LIMIT 1
  ) AS source
FROM renewal_info w
JOIN jws_header h ON h.header_id = w.header_id
JOIN renewal_info_text t ON t.renewal_info_id = w.renewal_info_id;

CREATE VIEW stg_contradictory_payload AS
SELECT payload_id FROM problem WHERE code = 'contradictory_date';

CREATE VIEW stg_customer_link_target AS
SELECT a.as_of, a.known_at, x.entry_id, x.original_transaction_key
FROM param_scope a
JOIN customer_link_target x ON x.original_transaction_key = a.original_transaction_key;

CREATE VIEW int_customer_link_entry AS
SELECT
  x.as_of, x.known_at, x.original_transaction_key, c.customer, e.identifier, e.action, e.effective_at, e.reason,
  e.author, e.recorded_at, e.entry_id
FROM stg_customer_link_target x
JOIN customer_link_entry e ON e.entry_id = x.entry_id
JOIN customer c ON c.customer_key = e.customer_key
WHERE e.effective_at <= x.as_of AND e.recorded_at <= x.known_at;

CREATE VIEW int_customer_link AS
SELECT
  x.as_of, x.known_at, x.original_transaction_key, x.customer, x.identifier, x.reason, x.author, x.recorded_at
FROM int_customer_link_entry x
WHERE x.action = 'link'
  AND NOT EXISTS (
    SELECT 1 FROM int_customer_link_entry y
    WHERE y.as_of = x.as_of AND y.known_at = x.known_at AND y.original_transaction_key = x.original_transaction_key
      AND y.customer = x.customer AND y.entry_id > x.entry_id
  );

CREATE VIEW stg_entitlement_period AS
SELECT
  a.known_at, p.original_transaction_key, p.begins_at, p.ends_at, p.product_id, p.state, p.has_access,
  p.access_ends_at, p.confirmed, p.will_renew, p.next_product_id, p.expiration_reason, p.rule, p.evidence_at,
  p.purchase_at, p.expires_at, p.revoked_at, p.grace_period_expires_at, p.transaction_key, p.version_id,
  p.renewal_info_version_id
FROM int_scope_known a
CROSS JOIN entitlement_period p
WHERE p.original_transaction_key = a.original_transaction_key;

CREATE VIEW entitlement_state AS
SELECT
  o.environment, o.original_transaction_id, p.product_id, p.state, p.has_access, p.access_ends_at, p.confirmed,
  p.will_renew, p.next_product_id, p.expiration_reason, p.rule, p.evidence_at, p.purchase_at, p.expires_at,
  p.revoked_at, p.grace_period_expires_at, q.as_of, q.known_at, p.original_transaction_key, p.transaction_key,
  p.version_id, p.renewal_info_version_id
FROM param_query q
JOIN stg_entitlement_period p
  ON p.known_at = q.known_at AND p.begins_at <= q.as_of AND COALESCE(p.ends_at, 9223372036854775807) > q.as_of
JOIN original_transaction o ON o.original_transaction_key = p.original_transaction_key;

CREATE VIEW expiring AS
SELECT
  e.environment, m.starts_at AS month_begins_at, e.product_id, e.will_renew, COUNT(*) AS subscription_count, e.as_of,
  e.known_at
FROM entitlement_state e
JOIN calendar_month m
  ON m.starts_at <= e.access_ends_at AND m.ends_at > e.access_ends_at
  AND m.starts_at > e.access_ends_at - (SELECT month_limit FROM rule_constant)
WHERE e.has_access = 1
GROUP BY e.environment, m.starts_at, e.product_id, e.will_renew, e.as_of, e.known_at;

CREATE VIEW state_history AS
SELECT
  o.environment, o.original_transaction_id, p.begins_at, p.ends_at, p.product_id, p.state, p.has_access,
  p.access_ends_at, p.confirmed, p.will_renew, p.next_product_id, p.expiration_reason, p.rule, p.purchase_at,
  p.expires_at, p.revoked_at, p.grace_period_expires_at, p.known_at, p.original_transaction_key, p.transaction_key,
  p.version_id, p.renewal_info_version_id
FROM stg_entitlement_period p
JOIN original_transaction o ON o.original_transaction_key = p.original_transaction_key;

CREATE VIEW int_period_access AS
SELECT
  known_at, original_transaction_key, purchase_at,
  MAX(CASE WHEN has_access = 1 THEN COALESCE(ends_at, access_ends_at) END) AS access_until,
  MAX(grace_period_expires_at) AS grace_period_end_at,
  -- NULL unless auto-renew was off at the end of the period. It is the end of the last time with auto-renew on. If
  -- there was none, it is the first instant with auto-renew off.
  CASE
    WHEN MAX(CASE WHEN will_renew = 0 THEN begins_at END) > COALESCE(MAX(CASE WHEN will_renew = 1 THEN begins_at END),
      0)
    THEN COALESCE(MAX(CASE WHEN will_renew = 1 THEN ends_at END), MIN(CASE WHEN will_renew = 0 THEN begins_at END))
  END AS unsubscribe_detected_at,
  MIN(CASE WHEN state IN ('grace_period', 'billing_retry') THEN begins_at END) AS billing_issues_detected_at
FROM state_history
GROUP BY known_at, original_transaction_key, purchase_at;

CREATE VIEW stg_original_transaction_identifier AS
SELECT a.as_of, a.known_at, i.identifier, i.kind, i.original_transaction_key
FROM param_scope a
JOIN original_transaction_identifier i ON i.original_transaction_key = a.original_transaction_key;

CREATE VIEW int_customer_token AS
SELECT i.as_of, i.known_at, i.original_transaction_key, i.identifier AS customer
FROM stg_original_transaction_identifier i
WHERE i.kind = 'app_account_token'
  AND NOT EXISTS (
    SELECT 1 FROM int_linked_identifier e
    WHERE e.as_of = i.as_of AND e.known_at = i.known_at AND e.identifier = i.identifier
  )
  AND NOT EXISTS (
    SELECT 1 FROM int_customer_link_entry x
    WHERE x.as_of = i.as_of AND x.known_at = i.known_at AND x.original_transaction_key = i.original_transaction_key
      AND x.customer = i.identifier
  );

CREATE VIEW customer_original_transaction AS
SELECT
  c.customer, l.environment, l.original_transaction_id, 'link' AS basis, c.identifier, c.reason, c.author,
  c.recorded_at AS claimed_at,
  COALESCE((
    SELECT SUM(1) FROM int_customer_link y
    WHERE y.as_of = c.as_of AND y.known_at = c.known_at AND y.original_transaction_key = c.original_transaction_key
  ), 0) + COALESCE((
    SELECT SUM(1) FROM int_customer_token y
    WHERE y.as_of = c.as_of AND y.known_at = c.known_at AND y.original_transaction_key = c.original_transaction_key
  ), 0) AS claimant_count,
  c.as_of, c.known_at, c.original_transaction_key
FROM int_customer_link c
JOIN original_transaction l ON l.original_transaction_key = c.original_transaction_key
UNION ALL
SELECT
  c.customer, l.environment, l.original_transaction_id, 'app_account_token', c.customer, NULL, NULL, NULL,
  COALESCE((
    SELECT SUM(1) FROM int_customer_link y
    WHERE y.as_of = c.as_of AND y.known_at = c.known_at AND y.original_transaction_key = c.original_transaction_key
  ), 0) + COALESCE((
    SELECT SUM(1) FROM int_customer_token y
    WHERE y.as_of = c.as_of AND y.known_at = c.known_at AND y.original_transaction_key = c.original_transaction_key
  ), 0),
  c.as_of, c.known_at, c.original_transaction_key
FROM int_customer_token c
JOIN original_transaction l ON l.original_transaction_key = c.original_transaction_key;

CREATE VIEW stg_payload_trust AS
SELECT
  payload_id, digest, kind, bundle_id, stated_at, inferred_at, root_id,
  CASE WHEN root_id IS NULL THEN trust ELSE 'verified' END AS trust
FROM payload;

CREATE VIEW stg_payload AS
SELECT
  p.payload_id,
  p.digest,
  p.recorded_at,
  COALESCE(
    CASE WHEN p.trust_level = 0 AND p.stated_at > p.recorded_at THEN p.recorded_at ELSE p.stated_at END,
    p.explicit_at,
    CASE WHEN p.inferred_at > p.recorded_at THEN p.recorded_at ELSE p.inferred_at END,
    0
  ) AS evidence_at,
  CASE WHEN p.stated_at IS NOT NULL OR p.explicit_at IS NOT NULL THEN 0 ELSE 1 END AS is_inferred,
  p.is_contradictory,
  p.trust_level
FROM (
  SELECT
    a.payload_id, a.digest, a.stated_at, a.inferred_at,
    (SELECT MIN(d.received_at) FROM delivery d WHERE d.payload_id = a.payload_id) AS recorded_at,
    (SELECT MIN(d.received_at) FROM delivery d WHERE d.payload_id = a.payload_id AND d.is_explicit = 1) AS explicit_at,
    CASE WHEN EXISTS (SELECT 1 FROM stg_contradictory_payload x WHERE x.payload_id = a.payload_id) THEN 1 ELSE 0 END
      AS is_contradictory,
    CASE
      WHEN (SELECT MAX(c.is_apple) FROM root_certificate c WHERE c.root_id = a.root_id) = 1 THEN 2
      WHEN a.trust = 'verified' THEN 1
      ELSE 0
    END AS trust_level
  FROM stg_payload_trust a
) p
WHERE COALESCE((SELECT MAX(q.least_trust) FROM param_query q), 0) = 0
  OR p.trust_level >= (SELECT MAX(q.least_trust) FROM param_query q);

CREATE VIEW int_first_transaction_version AS
SELECT as_of, known_at, original_transaction_key, transaction_key, recorded_at, payload_id
FROM (
  SELECT
    a.as_of, a.known_at, v.original_transaction_key, v.transaction_key, i.recorded_at, v.payload_id,
    ROW_NUMBER() OVER (
      PARTITION BY a.as_of, a.known_at, v.transaction_key ORDER BY i.recorded_at, i.digest, v.version_id
    ) AS row_rank
  FROM param_scope a
  CROSS JOIN transaction_version v
  CROSS JOIN stg_payload i
  WHERE v.original_transaction_key = a.original_transaction_key AND i.payload_id = v.payload_id
    AND i.recorded_at <= a.known_at
) renewal_instant
WHERE row_rank = 1;

CREATE VIEW int_known_identifier AS
SELECT
  a.as_of, a.known_at, a.original_transaction_key, CAST(k.kind AS VARCHAR(64)) AS kind,
  CAST(CASE k.kind
    WHEN 'original_transaction_id' THEN l.original_transaction_id
    WHEN 'transaction_id' THEN s.transaction_id
    WHEN 'app_account_token' THEN s.app_account_token
    WHEN 'app_transaction_id' THEN s.app_transaction_id
    WHEN 'web_order_line_item_id' THEN s.web_order_line_item_id
    ELSE s.previous_original_transaction_id
  END AS VARCHAR(255)) AS identifier
FROM param_scope a
CROSS JOIN original_transaction l
CROSS JOIN transaction_version v
CROSS JOIN stg_payload i
CROSS JOIN transaction_info s
CROSS JOIN (
  SELECT 'original_transaction_id' AS kind UNION ALL SELECT 'transaction_id' UNION ALL SELECT 'app_account_token'
  UNION ALL SELECT 'app_transaction_id' UNION ALL SELECT 'web_order_line_item_id'
  UNION ALL SELECT 'previous_original_transaction_id'
) k
WHERE l.original_transaction_key = a.original_transaction_key
  AND v.original_transaction_key = a.original_transaction_key AND i.payload_id = v.payload_id
  AND i.recorded_at <= a.known_at
  AND s.transaction_info_id = v.transaction_info_id
  AND CASE k.kind
    WHEN 'app_account_token' THEN s.app_account_token
    WHEN 'app_transaction_id' THEN s.app_transaction_id
    WHEN 'web_order_line_item_id' THEN s.web_order_line_item_id
    WHEN 'previous_original_transaction_id' THEN s.previous_original_transaction_id
    ELSE l.original_transaction_id
  END IS NOT NULL
UNION ALL
SELECT
  a.as_of, a.known_at, a.original_transaction_key, CAST('order_id' AS VARCHAR(64)), CAST(o.order_id AS VARCHAR(255))
FROM param_scope a
CROSS JOIN transaction_version v
CROSS JOIN order_lookup o
CROSS JOIN stg_payload i
WHERE v.original_transaction_key = a.original_transaction_key AND o.payload_id = v.payload_id
  AND i.payload_id = v.payload_id
  -- The importer states the order id, and Apple does not sign it. So it counts only when all evidence counts.
  AND COALESCE((SELECT MAX(q.least_trust) FROM param_query q), 0) = 0
  AND i.recorded_at <= a.known_at
UNION ALL
SELECT
  a.as_of, a.known_at, a.original_transaction_key, CAST('notification_uuid' AS VARCHAR(64)),
  CAST(n.notification_uuid AS VARCHAR(255))
FROM param_scope a
CROSS JOIN notification n
CROSS JOIN stg_payload i
WHERE n.original_transaction_key = a.original_transaction_key AND n.notification_uuid IS NOT NULL
  AND i.payload_id = n.payload_id
  AND i.recorded_at <= a.known_at
UNION ALL
SELECT
  a.as_of, a.known_at, a.original_transaction_key, CAST(k.kind AS VARCHAR(64)),
  CAST(CASE k.kind WHEN 'app_account_token' THEN s.app_account_token ELSE s.app_transaction_id END AS VARCHAR(255))
FROM param_scope a
CROSS JOIN renewal_info_version v
CROSS JOIN stg_payload i
CROSS JOIN renewal_info s
CROSS JOIN (SELECT 'app_account_token' AS kind UNION ALL SELECT 'app_transaction_id') k
WHERE v.original_transaction_key = a.original_transaction_key AND i.payload_id = v.payload_id
  AND i.recorded_at <= a.known_at
  AND s.renewal_info_id = v.renewal_info_id
  AND CASE k.kind WHEN 'app_account_token' THEN s.app_account_token ELSE s.app_transaction_id END IS NOT NULL;

CREATE VIEW int_customer_link_target AS
SELECT DISTINCT k.as_of, k.known_at, e.entry_id, k.original_transaction_key
FROM int_known_identifier k
CROSS JOIN customer_link_entry e
WHERE e.identifier = k.identifier;

CREATE VIEW int_notification AS
SELECT
  n.notification_type, n.subtype, n.consumption_request_reason, i.evidence_at, i.recorded_at,
  CASE
    WHEN n.version IS NOT NULL
      THEN (SELECT MIN(v.transaction_key) FROM transaction_version v WHERE v.payload_id = n.payload_id)
  END AS transaction_key,
  a.as_of, a.known_at, n.original_transaction_key, n.payload_id
FROM param_scope a
CROSS JOIN notification n
CROSS JOIN stg_payload i
WHERE n.original_transaction_key = a.original_transaction_key AND i.payload_id = n.payload_id
  AND i.recorded_at <= a.known_at
  AND i.evidence_at <= a.as_of;

CREATE VIEW int_projected_identifier AS
SELECT DISTINCT as_of, known_at, identifier, kind, original_transaction_key
FROM int_known_identifier
WHERE kind NOT IN ('original_transaction_id', 'transaction_id', 'notification_uuid', 'web_order_line_item_id');

CREATE VIEW int_refund_notification AS
SELECT *
FROM int_notification
WHERE notification_type IN ('CONSUMPTION_REQUEST', 'REFUND', 'CANCEL', 'REVOKE', 'REFUND_DECLINED');

CREATE VIEW int_refund_answer AS
SELECT
  r.as_of, r.known_at, r.original_transaction_key, r.payload_id AS request_id, a.evidence_at,
  CASE WHEN a.notification_type = 'REFUND_DECLINED' THEN 0 ELSE 1 END AS is_refunded
FROM int_refund_notification r
JOIN int_refund_notification a
  ON a.as_of = r.as_of AND a.known_at = r.known_at AND a.original_transaction_key = r.original_transaction_key
  AND a.evidence_at >= r.evidence_at
  AND a.notification_type IN ('REFUND', 'CANCEL', 'REVOKE', 'REFUND_DECLINED')
  AND (a.transaction_key = r.transaction_key OR a.transaction_key IS NULL OR r.transaction_key IS NULL)
WHERE r.notification_type = 'CONSUMPTION_REQUEST';

CREATE VIEW int_sound_version AS
SELECT v.original_transaction_key, v.version_id, i.recorded_at
FROM transaction_version v
JOIN transaction_version w
  ON w.original_transaction_key = v.original_transaction_key AND w.transaction_info_id = v.transaction_info_id
JOIN stg_payload i ON i.payload_id = w.payload_id
WHERE i.is_contradictory = 0;

CREATE VIEW stg_client_event AS
SELECT
  step.*,
  SUM(is_beginning) OVER (
    PARTITION BY as_of, known_at, queue, product_id
    ORDER BY happened_at, step_rank, digest ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS attempt_number
FROM (
  SELECT
    reported.*,
    CASE
      WHEN event = 'updated' AND transaction_state = 'purchasing' THEN 1
      WHEN transaction_id IS NOT NULL THEN 0
      WHEN event = 'removed' THEN CASE WHEN previous_state IS NULL THEN 1 ELSE 0 END
      WHEN transaction_state = 'failed' AND COALESCE(previous_state, '') NOT IN ('purchasing', 'deferred') THEN 1
      WHEN transaction_state = 'deferred' AND COALESCE(previous_state, '') <> 'purchasing' THEN 1
      ELSE 0
    END AS is_beginning
  FROM (
    SELECT
      e.*,
      LAG(CASE WHEN event = 'removed' THEN 'removed' ELSE transaction_state END) OVER (
        PARTITION BY as_of, known_at, queue, product_id ORDER BY happened_at, step_rank, digest
      ) AS previous_state
    FROM (
      SELECT
        a.as_of, a.known_at, e.queue, e.payload_id, e.event, e.transaction_state, e.transaction_id,
        e.original_transaction_id, e.product_id, e.customer, e.app_account_token, e.device, e.error_domain,
        e.error_code, e.error_message, i.recorded_at, i.digest,
        CASE WHEN e.happened_at > i.recorded_at THEN i.recorded_at ELSE e.happened_at END AS happened_at,
        -- The clocks of two correct devices may differ by five minutes.
        CASE WHEN e.happened_at > i.recorded_at + (SELECT clock_difference FROM rule_constant) THEN 1 ELSE 0 END
          AS is_from_future,
        CASE
          WHEN e.event = 'removed' THEN 5
          WHEN e.transaction_state = 'purchasing' THEN 1
          WHEN e.transaction_state = 'deferred' THEN 2
          WHEN e.transaction_state = 'failed' THEN 4
          ELSE 3
        END AS step_rank
      FROM param_queue_scope a
      CROSS JOIN client_event e
      CROSS JOIN stg_payload i
      WHERE e.queue = a.queue AND i.payload_id = e.payload_id AND i.recorded_at <= a.known_at
        AND (e.happened_at <= a.as_of OR i.recorded_at <= a.as_of) AND (
          e.event = 'removed'
          OR (e.event = 'updated'
            AND e.transaction_state IN ('purchasing', 'purchased', 'failed', 'deferred', 'restored'))
        )
    ) e
  ) reported
) step;

CREATE VIEW int_client_report AS
SELECT
  as_of, known_at, queue, product_id, transaction_id, MIN(attempt_number) AS attempt_number,
  MAX(customer) AS customer, MAX(app_account_token) AS app_account_token, MAX(device) AS device,
  MAX(original_transaction_id) AS original_transaction_id,
  MIN(happened_at) AS began_at,
  MIN(CASE WHEN event = 'removed' OR transaction_state = 'failed' THEN happened_at END) AS ended_at,
  MAX(CASE WHEN event = 'updated' AND transaction_state = 'purchasing' THEN happened_at END) AS purchasing_at,
  MIN(CASE WHEN event = 'updated' AND transaction_state IN ('purchased', 'restored') THEN happened_at END) AS paid_at,
  MAX(CASE WHEN event = 'updated' AND transaction_state = 'deferred' THEN happened_at END) AS deferred_at,
  MAX(CASE WHEN event = 'updated' AND transaction_state = 'failed' THEN happened_at END) AS failed_at,
  MAX(CASE WHEN event = 'removed' THEN happened_at END) AS removed_at,
  MAX(CASE WHEN event = 'removed' AND transaction_state = 'purchasing' THEN 1 ELSE 0 END) AS is_removed_purchasing,
  MAX(CASE WHEN error_domain = 'SKErrorDomain' AND error_code = 2 THEN 1 ELSE 0 END) AS is_cancelled,
  MAX(error_domain) AS error_domain, MAX(error_code) AS error_code, MAX(error_message) AS error_message,
  SUM(CASE WHEN event = 'updated' THEN 1 ELSE 0 END) AS update_count,
  SUM(CASE WHEN event = 'updated' AND transaction_state IN ('purchased', 'restored') THEN 1 ELSE 0 END)
    AS delivery_count,
  MAX(CASE WHEN transaction_id IS NOT NULL AND transaction_state = 'restored' THEN 1 ELSE 0 END) AS is_restored,
  MAX(is_from_future) AS is_from_future, MIN(recorded_at) AS recorded_at
FROM stg_client_event
GROUP BY
  as_of, known_at, queue, product_id, transaction_id, CASE WHEN transaction_id IS NULL THEN attempt_number END;

CREATE VIEW int_client_completion AS
SELECT
  placed.*,
  CASE
    WHEN transaction_id IS NULL THEN attempt_number
    WHEN is_restored = 1 OR wanted_attempt < 1 OR is_begun = 0 OR wanted_ended_at < began_at THEN 0
    WHEN wanted_own_count > 0 AND wanted_attempt <> attempt_number THEN 0
    ELSE wanted_attempt
  END AS completed_attempt
FROM (
  SELECT
    wanted.*,
    MAX(CASE WHEN transaction_id IS NULL THEN 1 ELSE 0 END) OVER attempt AS is_begun,
    MAX(CASE WHEN transaction_id IS NULL THEN ended_at END) OVER attempt AS wanted_ended_at,
    MAX(CASE WHEN transaction_id IS NULL THEN own_count END) OVER attempt AS wanted_own_count
  FROM (
    SELECT
      r.*,
      SUM(CASE WHEN transaction_id IS NOT NULL AND is_restored = 0 THEN 1 ELSE 0 END) OVER (
        PARTITION BY as_of, known_at, queue, product_id, attempt_number
      ) AS own_count,
      CASE
        WHEN transaction_id IS NULL THEN attempt_number
        ELSE attempt_number + 1 - ROW_NUMBER() OVER (
          PARTITION BY
            as_of, known_at, queue, product_id, attempt_number,
            CASE WHEN transaction_id IS NULL THEN 2 ELSE is_restored END
          ORDER BY began_at, transaction_id
        )
      END AS wanted_attempt
    FROM int_client_report r
  ) wanted
  WINDOW attempt AS (PARTITION BY as_of, known_at, queue, product_id, wanted_attempt)
) placed;

CREATE VIEW int_client_attempt AS
SELECT
  gathered.*,
  CASE
    WHEN paid_at IS NOT NULL AND removed_at IS NOT NULL THEN 'finished'
    WHEN paid_at IS NOT NULL THEN 'paid_unfinished'
    WHEN failed_at IS NOT NULL AND is_cancelled = 1 THEN 'cancelled'
    WHEN failed_at IS NOT NULL THEN 'failed'
    WHEN deferred_at IS NOT NULL THEN 'waiting_for_approval'
    WHEN removed_at IS NOT NULL THEN 'finished'
    WHEN last_ended_attempt > attempt_number THEN 'abandoned'
    ELSE 'in_flight'
  END AS state,
  CASE
    WHEN removed_at IS NULL OR failed_at IS NOT NULL OR paid_at IS NOT NULL OR deferred_at IS NOT NULL THEN 0
    WHEN purchasing_at IS NOT NULL OR is_removed_purchasing = 1 THEN 1
    ELSE 0
  END AS is_finished_while_purchasing,
  CASE WHEN update_count = 0 AND is_removed_purchasing = 0 THEN 1 ELSE 0 END AS is_removed_without_update,
  CASE WHEN is_restored = 1 THEN 'restore' WHEN attempt_number = 0 THEN 'delivery' ELSE 'purchase' END AS kind
FROM (
  SELECT
    reported.*,
    MAX(CASE WHEN COALESCE(paid_at, failed_at, removed_at) IS NOT NULL THEN attempt_number END)
      OVER (PARTITION BY as_of, known_at, queue, product_id) AS last_ended_attempt
  FROM (
    SELECT
      as_of, known_at, queue, product_id, completed_attempt AS attempt_number,
      MAX(customer) AS customer, MAX(app_account_token) AS app_account_token, MAX(device) AS device,
      MAX(transaction_id) AS transaction_id, MAX(original_transaction_id) AS original_transaction_id,
      MIN(began_at) AS began_at, MAX(purchasing_at) AS purchasing_at, MIN(paid_at) AS paid_at,
      MAX(deferred_at) AS deferred_at, MAX(failed_at) AS failed_at, MAX(removed_at) AS removed_at,
      MAX(is_removed_purchasing) AS is_removed_purchasing, MAX(is_cancelled) AS is_cancelled,
      MAX(error_domain) AS error_domain, MAX(error_code) AS error_code, MAX(error_message) AS error_message,
      SUM(update_count) AS update_count, SUM(delivery_count) AS delivery_count, MAX(is_restored) AS is_restored,
      MAX(is_from_future) AS is_from_future, MIN(recorded_at) AS recorded_at
    FROM int_client_completion
    GROUP BY
      as_of, known_at, queue, product_id, completed_attempt, CASE WHEN completed_attempt = 0 THEN transaction_id END
  ) reported
) gathered;

CREATE VIEW stg_product_type AS
SELECT l.environment, COALESCE(s.bundle_id, p.bundle_id, '') AS bundle_id, s.product_id, s.type, i.recorded_at
FROM transaction_info s
JOIN transaction_version v
  ON v.original_transaction_key = s.original_transaction_key AND v.transaction_key = s.transaction_key
  AND v.transaction_info_id = s.transaction_info_id
JOIN original_transaction l ON l.original_transaction_key = v.original_transaction_key
JOIN payload p ON p.payload_id = v.payload_id
JOIN stg_payload i ON i.payload_id = v.payload_id
WHERE s.type <> 'Auto-Renewable Subscription';

CREATE VIEW stg_renewal_info_version AS
SELECT
  v.*, COALESCE(v.signed_at, i.evidence_at) AS evidence_at, i.recorded_at,
  CASE WHEN v.signed_at IS NULL THEN i.is_inferred ELSE 0 END AS is_inferred, i.is_contradictory, i.trust_level,
  i.digest AS payload_digest
FROM renewal_info_version v
CROSS JOIN stg_payload i
WHERE i.payload_id = v.payload_id;

CREATE VIEW int_renewal_info_change AS
SELECT *
FROM (
  SELECT
    a.as_of, a.known_at, v.original_transaction_key, v.evidence_at,
    v.recorded_at, v.version_id, v.payload_id,
    s.product_id, s.auto_renew_product_id, s.auto_renew_status, s.expiration_intent,
    COALESCE(s.is_in_billing_retry_period, 0) AS is_in_billing_retry_period, s.grace_period_expires_at,
    s.price_increase_status, s.auto_renew_status_changed_at,
    v.is_inferred,
    LAG(s.auto_renew_product_id) OVER stated AS previous_product_id,
    LAG(s.auto_renew_status) OVER stated AS previous_status,
    LAG(COALESCE(s.is_in_billing_retry_period, 0)) OVER stated AS previous_retry,
    LAG(s.grace_period_expires_at) OVER stated AS previous_grace,
    LAG(s.price_increase_status) OVER stated AS previous_price_increase,
    LAG(s.expiration_intent) OVER stated AS previous_intent
  FROM param_scope a
  CROSS JOIN stg_renewal_info_version v
  CROSS JOIN renewal_info s
  WHERE v.original_transaction_key = a.original_transaction_key AND v.recorded_at <= a.known_at
    AND s.renewal_info_id = v.renewal_info_id
  WINDOW stated AS (
    PARTITION BY a.as_of, a.known_at, v.original_transaction_key
    ORDER BY v.evidence_at, v.source_rank DESC, s.digest, v.payload_digest
  )
) one;

CREATE VIEW int_renewal_info_instant AS
SELECT v.original_transaction_key, v.evidence_at, v.version_id, v.recorded_at
FROM param_subscription a
CROSS JOIN stg_renewal_info_version v
WHERE v.original_transaction_key = a.original_transaction_key;

CREATE VIEW stg_status_claim AS
SELECT
  v.*, COALESCE(v.signed_at, i.evidence_at) AS evidence_at, i.recorded_at,
  CASE WHEN v.signed_at IS NULL THEN i.is_inferred ELSE 0 END AS is_inferred, i.is_contradictory, i.trust_level,
  i.digest AS payload_digest
FROM status_claim v
CROSS JOIN stg_payload i
WHERE i.payload_id = v.payload_id;

CREATE VIEW stg_transaction AS
SELECT transaction_info_id AS transaction_key, original_transaction_key, transaction_id
FROM transaction_info
WHERE transaction_info_id = transaction_key;

CREATE VIEW entitlement AS
SELECT
  e.environment,
  COALESCE(s.bundle_id, p.bundle_id) AS bundle_id,
  e.original_transaction_id,
  e.product_id,
  e.state,
  e.has_access,
  e.access_ends_at,
  e.confirmed,
  e.will_renew,
  e.next_product_id,
  e.expiration_reason,
  e.rule,
  e.evidence_at,
  t.transaction_id,
  s.subscription_group_identifier,
  s.in_app_ownership_type,
  s.web_order_line_item_id,
  i.identifier AS app_account_token,
  s.is_trial_period,
  s.is_in_intro_offer_period,
  s.original_purchase_at,
  e.purchase_at,
  e.expires_at,
  e.revoked_at,
  e.grace_period_expires_at,
  CASE
    WHEN p.trust = 'unverified' OR o.trust = 'unverified' THEN 'unverified'
    WHEN p.trust = 'unsigned' OR o.trust = 'unsigned' THEN 'unsigned'
    ELSE 'verified'
  END AS trust,
  e.as_of,
  e.known_at,
  e.original_transaction_key,
  e.version_id,
  e.renewal_info_version_id,
  CASE
    WHEN EXISTS (SELECT 1 FROM stg_contradictory_payload x WHERE x.payload_id = v.payload_id) THEN 1
    WHEN EXISTS (SELECT 1 FROM stg_contradictory_payload x WHERE x.payload_id = r.payload_id) THEN 1
    ELSE 0
  END AS is_contradictory,
  CASE WHEN w.expiration_intent = 1 AND w.auto_renew_status = 1 THEN 1 ELSE 0 END AS is_renewal_contradictory,
  COALESCE(c.name, d.name) AS added_root
FROM entitlement_state e
LEFT JOIN transaction_version v ON v.version_id = e.version_id
LEFT JOIN stg_payload_trust p ON p.payload_id = v.payload_id
LEFT JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
-- Every token in s is also in this table. Here SQLite finds it by an index.
LEFT JOIN original_transaction_identifier i
  ON i.original_transaction_key = e.original_transaction_key AND i.kind = 'app_account_token'
  AND i.identifier = s.app_account_token
LEFT JOIN stg_transaction t
  ON t.transaction_key = e.transaction_key AND t.original_transaction_key = e.original_transaction_key
LEFT JOIN renewal_info_version r ON r.version_id = e.renewal_info_version_id
LEFT JOIN renewal_info w ON w.renewal_info_id = r.renewal_info_id
LEFT JOIN stg_payload_trust o ON o.payload_id = r.payload_id
LEFT JOIN root_certificate c ON c.root_id = p.root_id AND c.is_apple = 0
LEFT JOIN root_certificate d ON d.root_id = o.root_id AND d.is_apple = 0;

CREATE VIEW customer_grant AS
SELECT
  c.customer, g.entitlement,
  CASE
    WHEN r.revoked_at IS NOT NULL THEN 'revoked'
    WHEN g.begins_at > q.as_of THEN 'not_begun'
    WHEN g.ends_at <= q.as_of THEN 'expired'
    ELSE 'active'
  END AS state,
  CASE
    WHEN r.revoked_at IS NULL AND g.begins_at <= q.as_of AND (g.ends_at IS NULL OR g.ends_at > q.as_of) THEN 1
    ELSE 0
  END AS has_access,
  CASE
    WHEN r.revoked_at IS NOT NULL AND (g.ends_at IS NULL OR r.revoked_at < g.ends_at) THEN r.revoked_at
    ELSE g.ends_at
  END AS access_ends_at,
  CASE
    WHEN r.revoked_at IS NOT NULL THEN 'grant_revoked'
    WHEN g.ends_at <= q.as_of THEN 'grant_ended'
    ELSE 'granted'
  END AS rule,
  g.begins_at, g.ends_at, r.revoked_at, g.reason, g.author, g.recorded_at, q.as_of, q.known_at, g.grant_id
FROM param_query q
CROSS JOIN access_grant g
JOIN customer c ON c.customer_key = g.customer_key
LEFT JOIN (
  SELECT a.as_of, a.known_at, w.grant_id, MIN(w.revoked_at) AS revoked_at
  FROM param_query a CROSS JOIN access_grant_revocation w
  WHERE w.revoked_at <= a.as_of AND w.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, w.grant_id
) r ON r.as_of = q.as_of AND r.known_at = q.known_at AND r.grant_id = g.grant_id
WHERE g.recorded_at <= q.known_at;

CREATE VIEW int_current_transaction_version AS
SELECT
  a.as_of, a.known_at, a.original_transaction_key, o.environment, o.original_transaction_id, t.transaction_key,
  n.transaction_id, t.version_id, t.evidence_at, t.source_rank, t.purchase_at, t.expires_at, t.revoked_at,
  t.is_upgraded
FROM param_scope a
CROSS JOIN projection_transaction t
JOIN original_transaction o ON o.original_transaction_key = t.original_transaction_key
JOIN stg_transaction n
  ON n.transaction_key = t.transaction_key AND n.original_transaction_key = t.original_transaction_key
WHERE t.original_transaction_key = a.original_transaction_key AND t.known_from <= a.known_at
  AND (t.known_until IS NULL OR t.known_until > a.known_at);

CREATE VIEW int_deciding_period AS
SELECT
  known_at, original_transaction_key, transaction_key, version_id, evidence_at AS deciding_evidence_at, product_id,
  purchase_at, expires_at, revoked_at, is_upgraded,
  CASE
    WHEN COALESCE(revoked_at, evidence_at) < expires_at THEN COALESCE(revoked_at, evidence_at)
    ELSE expires_at
  END AS superseded_at,
  LEAD(purchase_at) OVER (PARTITION BY known_at, original_transaction_key ORDER BY purchase_at) AS succeeded_at
FROM (
  SELECT
    a.known_at, t.original_transaction_key, t.transaction_key, t.version_id, t.evidence_at, s.product_id,
    t.purchase_at, t.expires_at, t.revoked_at, t.is_upgraded,
    MAX(CASE WHEN t.expires_at > t.purchase_at THEN 1 ELSE 0 END) OVER (
      PARTITION BY a.known_at, t.original_transaction_key
    ) AS has_originals,
    ROW_NUMBER() OVER (
      PARTITION BY a.known_at, t.original_transaction_key, t.purchase_at
      ORDER BY t.expires_at DESC, n.transaction_id DESC
    ) AS row_rank
  FROM int_scope_known a
  CROSS JOIN projection_transaction t
  JOIN stg_transaction n ON n.transaction_key = t.transaction_key
  JOIN transaction_version v ON v.version_id = t.version_id
  JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
  WHERE t.original_transaction_key = a.original_transaction_key AND t.known_from <= a.known_at
    AND (t.known_until IS NULL OR t.known_until > a.known_at) AND t.expires_at IS NOT NULL
) t
WHERE row_rank = 1 AND (has_originals = 0 OR expires_at > purchase_at);

CREATE VIEW int_change_instant AS
WITH period AS (
  SELECT
    known_at, original_transaction_key, purchase_at, expires_at,
    CASE WHEN is_upgraded = 0 THEN revoked_at ELSE superseded_at END AS cut_at,
    COALESCE(succeeded_at, 9223372036854775807) AS succeeded_at
  FROM int_deciding_period
)
SELECT
  known_at, original_transaction_key, instant AS as_of, purchase_at, info_at
FROM (
  SELECT
    known_at, original_transaction_key, purchase_at AS instant, purchase_at, CAST(NULL AS BIGINT) AS info_at
  FROM period
  UNION ALL
  SELECT known_at, original_transaction_key, expires_at, NULL, NULL FROM period WHERE expires_at < succeeded_at
  UNION ALL
  SELECT known_at, original_transaction_key, cut_at, NULL, NULL FROM period WHERE cut_at < succeeded_at
  UNION ALL
  SELECT p.known_at, p.original_transaction_key, p.expires_at + c.billing_retry_duration, NULL, NULL
  FROM period p CROSS JOIN rule_constant c
  WHERE p.expires_at + c.billing_retry_duration < p.succeeded_at
  UNION ALL
  SELECT known_at, original_transaction_key, evidence_at, NULL, evidence_at FROM int_renewal_info_history
  UNION ALL
  SELECT known_at, original_transaction_key, grace_period_expires_at, NULL, NULL
  FROM int_renewal_info_history
  WHERE grace_period_expires_at IS NOT NULL
) change;

CREATE VIEW int_identifier AS
SELECT
  original_transaction_id AS identifier, CAST('original_transaction_id' AS VARCHAR(64)) AS kind,
  original_transaction_key, 1 AS table_rank
FROM original_transaction
UNION ALL
SELECT transaction_id, CAST('transaction_id' AS VARCHAR(64)), original_transaction_key, 2 FROM stg_transaction
UNION ALL
SELECT identifier, kind, original_transaction_key, 3 FROM original_transaction_identifier
UNION ALL
SELECT notification_uuid, CAST('notification_uuid' AS VARCHAR(64)), original_transaction_key, 4
FROM notification
WHERE notification_uuid IS NOT NULL AND original_transaction_key IS NOT NULL
UNION ALL
SELECT w.web_order_line_item_id, CAST('web_order_line_item_id' AS VARCHAR(64)), w.original_transaction_key, 5
FROM transaction_info w
WHERE w.web_order_line_item_id IS NOT NULL
  AND NOT EXISTS (
    SELECT 1 FROM transaction_info e
    WHERE e.web_order_line_item_id = w.web_order_line_item_id
      AND e.original_transaction_key = w.original_transaction_key AND e.transaction_info_id < w.transaction_info_id
  );

CREATE VIEW int_transaction_version_history AS
SELECT
  a.as_of, a.known_at, v.original_transaction_key, t.transaction_id, i.recorded_at, v.payload_id,
  s.product_id, s.purchase_at, s.expires_at, s.revoked_at, s.is_upgraded, s.revocation_type, s.revocation_reason,
  MAX(COALESCE(s.is_trial_period, 0)) OVER period AS is_trial,
  MAX(s.transaction_reason) OVER period AS transaction_reason,
  MAX(s.in_app_ownership_type) OVER period AS in_app_ownership_type,
  MAX(CASE WHEN s.expires_at IS NULL THEN 0 ELSE 1 END)
    OVER (PARTITION BY a.as_of, a.known_at, v.original_transaction_key, v.transaction_key) AS is_subscription,
  ROW_NUMBER() OVER (
    PARTITION BY a.as_of, a.known_at, v.original_transaction_key, v.transaction_key, s.product_id, s.purchase_at,
      s.expires_at
    ORDER BY i.recorded_at, i.digest, v.version_id
  ) AS period_rank,
  ROW_NUMBER() OVER (
    PARTITION BY
      a.as_of, a.known_at, v.original_transaction_key, v.transaction_key, s.product_id, s.revoked_at, s.expires_at,
      s.is_upgraded
    ORDER BY i.recorded_at, i.digest, v.version_id
  ) AS revocation_rank
FROM param_scope a
CROSS JOIN transaction_version v
CROSS JOIN stg_payload i
CROSS JOIN transaction_info s
CROSS JOIN stg_transaction t
WHERE v.original_transaction_key = a.original_transaction_key AND i.payload_id = v.payload_id
  AND i.recorded_at <= a.known_at
  AND s.transaction_info_id = v.transaction_info_id AND t.transaction_key = v.transaction_key
WINDOW period AS (
  PARTITION BY a.as_of, a.known_at, v.original_transaction_key, v.transaction_key, s.product_id, s.purchase_at,
    s.expires_at
);

CREATE VIEW history_event AS
WITH version AS (SELECT * FROM int_transaction_version_history),
change AS (SELECT * FROM int_renewal_info_change)
SELECT
  l.environment, l.original_transaction_id, e.event, e.happened_at, e.recorded_at, e.transaction_id, e.product_id,
  e.detail, e.more, e.instant, e.as_of, e.known_at, e.original_transaction_key, e.payload_id, e.is_inferred,
  e.auto_renew_status
FROM (
  SELECT
    a.as_of, a.known_at, n.original_transaction_key, i.evidence_at AS happened_at, i.recorded_at,
    'notification' AS event,
    NULL AS transaction_id, NULL AS product_id, n.notification_type AS detail, n.subtype AS more, NULL AS instant,
    n.payload_id, i.is_inferred,
    -- V1 states the new auto-renew status only in its renewal info.
    CASE
      WHEN n.notification_type = 'DID_CHANGE_RENEWAL_STATUS'
        THEN (
          SELECT CASE WHEN MIN(s.auto_renew_status) = MAX(s.auto_renew_status) THEN MAX(s.auto_renew_status) END
          FROM renewal_info_version v JOIN renewal_info s ON s.renewal_info_id = v.renewal_info_id
          WHERE v.payload_id = n.payload_id AND v.original_transaction_key = n.original_transaction_key
        )
    END AS auto_renew_status
  FROM param_scope a
  CROSS JOIN notification n
  CROSS JOIN stg_payload i
  WHERE n.original_transaction_key = a.original_transaction_key AND i.payload_id = n.payload_id
    AND i.recorded_at <= a.known_at
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, purchase_at, recorded_at,
    CASE WHEN expires_at IS NULL THEN 'purchase' WHEN is_trial = 1 THEN 'trial' ELSE 'period' END,
    transaction_id, product_id, transaction_reason, in_app_ownership_type, expires_at, payload_id, 0, NULL
  FROM version
  -- A version may omit the end of a subscription period. It is not a purchase of its own.
  WHERE period_rank = 1 AND (expires_at IS NOT NULL OR is_subscription = 0)
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, revoked_at, recorded_at,
    CASE WHEN is_upgraded = 1 THEN 'upgraded' ELSE 'revoked' END,
    transaction_id, product_id,
    COALESCE(revocation_type, CASE WHEN in_app_ownership_type = 'FAMILY_SHARED' THEN 'FAMILY_SHARED' END),
    CAST(revocation_reason AS TEXT), expires_at, payload_id, 0, NULL
  FROM version
  WHERE revocation_rank = 1 AND revoked_at IS NOT NULL
  UNION ALL
  -- The product changed from one period to the next, or the customer returned after a gap. A product may change within
  -- a period, at its end (within a minute) or after a gap. instant is the end of the previous period.
  SELECT
    c.as_of, c.known_at, c.original_transaction_key, c.purchase_at, f.recorded_at,
    CASE
      WHEN c.previous_product_id = c.product_id THEN 'returned'
      WHEN c.previous_expires_at > c.purchase_at + 60000 THEN 'changed_at_once'
      WHEN c.previous_expires_at >= c.purchase_at - 60000 THEN 'changed_at_renewal'
      ELSE 'changed_on_return'
    END,
    c.transaction_id, c.product_id, c.previous_product_id, NULL, c.previous_expires_at, f.payload_id, 0, NULL
  FROM (
    SELECT
      t.*, s.product_id,
      LAG(s.product_id) OVER periods AS previous_product_id, LAG(t.expires_at) OVER periods AS previous_expires_at
    FROM int_current_transaction_version t
    JOIN transaction_version v ON v.version_id = t.version_id
    JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
    WHERE t.expires_at > t.purchase_at
    WINDOW periods AS (
      PARTITION BY t.as_of, t.known_at, t.original_transaction_key
        ORDER BY t.purchase_at, t.expires_at, t.transaction_key
    )
  ) c
  JOIN int_first_transaction_version f
    ON f.as_of = c.as_of AND f.known_at = c.known_at AND f.original_transaction_key = c.original_transaction_key
    AND f.transaction_key = c.transaction_key
  WHERE c.previous_product_id <> c.product_id OR c.previous_expires_at < c.purchase_at - 60000
  UNION ALL
  SELECT
    a.as_of, a.known_at, n.original_transaction_key, t.attempted_at, i.recorded_at, 'send_attempt', NULL, NULL,
    t.result,
    n.notification_type, NULL, t.payload_id, 0, NULL
  FROM param_scope a
  CROSS JOIN notification n
  CROSS JOIN send_attempt t
  CROSS JOIN stg_payload i
  WHERE n.original_transaction_key = a.original_transaction_key AND t.notification_id = n.payload_id
    AND i.payload_id = t.payload_id
    AND i.recorded_at <= a.known_at
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, COALESCE(auto_renew_status_changed_at, evidence_at), recorded_at,
    CASE auto_renew_status WHEN 1 THEN 'renewal_on' ELSE 'renewal_off' END,
    NULL, product_id, auto_renew_product_id, NULL, NULL, payload_id,
    CASE WHEN auto_renew_status_changed_at IS NULL THEN is_inferred ELSE 0 END, auto_renew_status
  FROM change
  WHERE auto_renew_status <> COALESCE(previous_status, 1)
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, evidence_at, recorded_at, 'product_next',
    NULL, COALESCE(previous_product_id, product_id), auto_renew_product_id, NULL, NULL, payload_id,
    is_inferred, NULL
  FROM change
  WHERE COALESCE(auto_renew_status, 1) = 1
    AND auto_renew_product_id <> COALESCE(previous_product_id, product_id, auto_renew_product_id)
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, evidence_at, recorded_at, 'grace',
    NULL, product_id, NULL, NULL, grace_period_expires_at, payload_id, is_inferred, NULL
  FROM change
  WHERE grace_period_expires_at > COALESCE(previous_grace, 0)
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, evidence_at, recorded_at,
    CASE is_in_billing_retry_period WHEN 1 THEN 'retry_began' ELSE 'retry_ended' END,
    NULL, product_id, NULL, NULL, NULL, payload_id, is_inferred, NULL
  FROM change
  WHERE is_in_billing_retry_period <> COALESCE(previous_retry, 0)
    -- A failed payment is one event. If it has a grace period, that event is `grace`.
    AND (is_in_billing_retry_period = 0 OR grace_period_expires_at IS NULL
      OR grace_period_expires_at <= COALESCE(previous_grace, 0))
  UNION ALL
  SELECT
    as_of, known_at, original_transaction_key, evidence_at, recorded_at, 'price_increase',
    NULL, product_id, CAST(price_increase_status AS TEXT), NULL, NULL, payload_id, is_inferred, NULL
  FROM change
  WHERE price_increase_status <> COALESCE(previous_price_increase, -1)
) e
JOIN original_transaction l ON l.original_transaction_key = e.original_transaction_key
WHERE e.happened_at <= e.as_of;

CREATE VIEW one_time_purchase AS
SELECT
  environment, bundle_id, original_transaction_id, transaction_id, product_id, type,
  CASE
    WHEN revoked_at <= as_of THEN 'revoked'
    WHEN ends_at <= as_of THEN 'expired'
    WHEN type IN ('Non-Consumable', 'Non-Renewing Subscription') THEN 'active'
    WHEN type = 'Consumable' THEN 'consumable'
    ELSE 'unknown'
  END AS state,
  CASE
    WHEN revoked_at <= as_of OR ends_at <= as_of THEN 0
    WHEN type IN ('Non-Consumable', 'Non-Renewing Subscription') THEN 1
    ELSE 0
  END AS has_access,
  CASE WHEN revoked_at <= as_of AND (ends_at IS NULL OR revoked_at < ends_at) THEN revoked_at ELSE ends_at END
    AS access_ends_at,
  CASE
    WHEN revoked_at <= as_of THEN 'revoked'
    WHEN type = 'Consumable' THEN 'consumable'
    WHEN ends_at <= as_of THEN 'duration_over'
    WHEN ends_at > as_of THEN 'within_duration'
    WHEN type IN ('Non-Consumable', 'Non-Renewing Subscription') THEN 'bought'
    ELSE 'unknown_type'
  END AS rule,
  in_app_ownership_type, quantity, purchase_at, revoked_at, ends_at, evidence_at, as_of, known_at,
  original_transaction_key, version_id,
  confirmed, is_contradictory, trust, added_root
FROM (
  SELECT
    b.*,
    CASE
      WHEN b.type <> 'Non-Renewing Subscription' THEN NULL
      WHEN e.starts_at + b.purchase_at - m.starts_at < e.ends_at
        THEN e.starts_at + b.purchase_at - m.starts_at + b.period_days * 86400000
      ELSE e.ends_at - 86400000 + b.purchase_at % 86400000 + b.period_days * 86400000
    END AS ends_at
  FROM (
    SELECT
      t.environment, COALESCE(s.bundle_id, w.bundle_id) AS bundle_id, t.original_transaction_id, t.transaction_id,
      s.product_id,
      COALESCE(
        s.type,
        p.type,
        -- Consumable comes before Non-Consumable, and that before Non-Renewing Subscription: MIN takes the first that
        -- evidence states.
        (
          SELECT MIN(k.type) FROM stg_product_type k
          WHERE k.product_id = s.product_id AND k.environment = t.environment
            AND k.bundle_id = COALESCE(s.bundle_id, w.bundle_id, '') AND k.recorded_at <= t.known_at
            AND k.type IN ('Consumable', 'Non-Consumable', 'Non-Renewing Subscription')
        ),
        'unknown'
      ) AS type,
      s.in_app_ownership_type, s.quantity, t.purchase_at, t.revoked_at, t.evidence_at, t.as_of, t.known_at,
      t.original_transaction_key,
      t.version_id, p.period_months, p.period_days,
      CASE
        WHEN l.is_contradicted = 1 AND NOT EXISTS (
          SELECT 1 FROM int_sound_version x
          WHERE x.original_transaction_key = t.original_transaction_key AND x.version_id = t.version_id
            AND x.recorded_at <= t.known_at
        ) THEN 0
        ELSE 1
      END AS confirmed,
      CASE WHEN EXISTS (SELECT 1 FROM stg_contradictory_payload x WHERE x.payload_id = v.payload_id) THEN 1 ELSE 0 END
        AS is_contradictory,
      w.trust, r.name AS added_root
    FROM int_current_transaction_version t
    JOIN transaction_version v ON v.version_id = t.version_id
    JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
    JOIN stg_payload_trust w ON w.payload_id = v.payload_id
    LEFT JOIN int_catalogue_app a
      ON a.as_of = t.as_of AND a.known_at = t.known_at AND a.named = COALESCE(s.bundle_id, w.bundle_id, '')
    LEFT JOIN product p
      ON p.as_of = t.as_of AND p.known_at = t.known_at AND p.bundle_id = a.bundle_id AND p.product_id = s.product_id
    LEFT JOIN root_certificate r ON r.root_id = w.root_id AND r.is_apple = 0
    LEFT JOIN projection_original_transaction l ON l.original_transaction_key = t.original_transaction_key
    WHERE t.expires_at IS NULL AND t.purchase_at <= t.as_of
  ) b
  LEFT JOIN calendar_month m
    ON b.period_months IS NOT NULL AND m.starts_at <= b.purchase_at AND m.ends_at > b.purchase_at
    AND m.starts_at > b.purchase_at - (SELECT month_limit FROM rule_constant)
  LEFT JOIN calendar_month e ON e.month_number = m.month_number + b.period_months
) purchase;

CREATE VIEW product_entitlement AS
SELECT as_of, known_at, bundle_id, product_id, entitlement
FROM (
  SELECT
    q.as_of, q.known_at, e.bundle_id, e.product_id, e.entitlement, e.is_granted,
    ROW_NUMBER() OVER (
      PARTITION BY q.as_of, q.known_at, e.bundle_id, e.product_id, e.entitlement
      ORDER BY e.recorded_at DESC, e.entry_id DESC
    ) AS row_rank
  FROM param_query q
  CROSS JOIN product_entitlement_entry e
  WHERE e.recorded_at <= q.known_at
) ranked
WHERE row_rank = 1 AND is_granted = 1;

CREATE VIEW customer_access AS
SELECT
  customer, entitlement, environment, basis, state, has_access, access_ends_at, product_id, original_transaction_id,
  rule, evidence_at, confirmed, is_contradictory, trust, added_root, claimant_count,
  CASE state
    WHEN 'active' THEN 1 WHEN 'grace_period' THEN 2 WHEN 'billing_retry' THEN 3 WHEN 'expired' THEN 4 ELSE 5
  END AS preference,
  as_of, known_at, original_transaction_key
FROM (
  SELECT
    c.customer, m.entitlement, c.environment, 'subscription' AS basis, e.state, e.has_access, e.access_ends_at,
    e.product_id, c.original_transaction_id, e.rule, e.evidence_at, e.confirmed, e.is_contradictory, e.trust,
    e.added_root, c.claimant_count, e.as_of, e.known_at, e.original_transaction_key
  FROM customer_original_transaction c
  JOIN entitlement e ON e.as_of = c.as_of AND e.known_at = c.known_at
  AND e.original_transaction_key = c.original_transaction_key
  JOIN int_catalogue_app a ON a.as_of = e.as_of AND a.known_at = e.known_at AND a.named = COALESCE(e.bundle_id, '')
  JOIN product_entitlement m
    ON m.as_of = e.as_of AND m.known_at = e.known_at AND m.bundle_id = a.bundle_id AND m.product_id = e.product_id
  UNION ALL
  SELECT
    c.customer, m.entitlement, c.environment, 'one_time_purchase', o.state, o.has_access, o.access_ends_at,
    o.product_id, c.original_transaction_id, o.rule, o.evidence_at, o.confirmed, o.is_contradictory, o.trust,
    o.added_root, c.claimant_count, o.as_of, o.known_at, o.original_transaction_key
  FROM customer_original_transaction c
  JOIN one_time_purchase o ON o.as_of = c.as_of AND o.known_at = c.known_at
  AND o.original_transaction_key = c.original_transaction_key
  JOIN int_catalogue_app a ON a.as_of = o.as_of AND a.known_at = o.known_at AND a.named = COALESCE(o.bundle_id, '')
  JOIN product_entitlement m
    ON m.as_of = o.as_of AND m.known_at = o.known_at AND m.bundle_id = a.bundle_id AND m.product_id = o.product_id
  WHERE o.state IN ('active', 'expired', 'revoked')
  UNION ALL
  SELECT
    customer, entitlement, 'Production', 'grant', state, has_access, access_ends_at, NULL, NULL, rule, NULL, 1, 0,
    NULL, NULL, 1,
    as_of, known_at, NULL
  FROM customer_grant
  WHERE begins_at <= as_of
) access;

CREATE VIEW customer_entitlement AS
SELECT
  customer, entitlement, environment, has_access, state, access_ends_at, product_id, original_transaction_id, basis,
  rule, confirmed, evidence_at, claimant_count, as_of, known_at, original_transaction_key, is_contradictory,
  trust, added_root
FROM (
  SELECT
    customer_access.*,
    ROW_NUMBER() OVER (
      PARTITION BY as_of, known_at, customer, entitlement, environment
      ORDER BY
        preference, CASE WHEN access_ends_at IS NULL THEN 0 ELSE 1 END, access_ends_at DESC,
        CASE WHEN basis = 'grant' THEN 1 ELSE 0 END, original_transaction_id
    ) AS row_rank
  FROM customer_access
) ranked
WHERE row_rank = 1;

CREATE VIEW purchase_attempt AS
SELECT
  COALESCE(customer, app_account_token) AS customer, device, product_id, kind, state,
  CASE WHEN state IN ('in_flight', 'waiting_for_approval', 'paid_unfinished') AND is_in_evidence = 0 THEN 1 ELSE 0 END
    AS is_open,
  CASE
    WHEN state NOT IN ('in_flight', 'waiting_for_approval', 'paid_unfinished') THEN 'device'
    WHEN is_in_evidence = 1 THEN 'evidence'
  END AS closed_by,
  is_in_evidence, is_theirs,
  CASE
    WHEN paid_at IS NOT NULL AND is_in_evidence = 0 THEN 'paid_never_verified'
    WHEN paid_at IS NOT NULL AND is_theirs = 0 AND is_claimed = 1 THEN 'paid_not_theirs'
    WHEN is_finished_while_purchasing = 1 THEN 'finished_while_purchasing'
    WHEN is_removed_without_update = 1 THEN 'removed_without_update'
    WHEN state = 'failed' AND is_in_evidence = 0 THEN 'failed'
  END AS finding,
  began_at,
  CASE state
    WHEN 'paid_unfinished' THEN paid_at
    WHEN 'waiting_for_approval' THEN deferred_at
    WHEN 'in_flight' THEN COALESCE(purchasing_at, began_at)
    WHEN 'finished' THEN removed_at
    ELSE failed_at
  END AS state_since,
  paid_at, transaction_id, original_transaction_id,
  CASE WHEN delivery_count > 1 THEN delivery_count - 1 ELSE 0 END AS redelivery_count,
  error_domain, error_code, error_message, is_from_future, app_account_token, queue, recorded_at, as_of, known_at
FROM (
  SELECT
    a.*,
    CASE
      WHEN EXISTS (
        SELECT 1
        FROM stg_transaction t
        JOIN transaction_version v ON v.original_transaction_key = t.original_transaction_key
        AND v.transaction_key = t.transaction_key
        JOIN stg_payload i ON i.payload_id = v.payload_id
        JOIN original_transaction l ON l.original_transaction_key = t.original_transaction_key
        WHERE t.transaction_id = a.transaction_id AND i.recorded_at <= a.known_at
          AND l.environment NOT IN ('Unverified', 'Xcode', 'LocalTesting')
      ) THEN 1
      -- A copy has a new transaction id, so only its original transaction can be known.
      WHEN a.is_restored = 1 AND EXISTS (
        SELECT 1
        FROM original_transaction l
        JOIN transaction_version v ON v.original_transaction_key = l.original_transaction_key
        JOIN stg_payload i ON i.payload_id = v.payload_id
        WHERE l.original_transaction_id = a.original_transaction_id AND i.recorded_at <= a.known_at
          AND l.environment NOT IN ('Unverified', 'Xcode', 'LocalTesting')
      ) THEN 1
      WHEN a.transaction_id IS NULL AND EXISTS (
        SELECT 1
        FROM int_customer_candidate r
        CROSS JOIN transaction_version v
        CROSS JOIN original_transaction l
        CROSS JOIN transaction_info s
        CROSS JOIN stg_payload i
        WHERE r.customer IN (a.customer, a.app_account_token) AND r.effective_at <= a.as_of
          AND r.recorded_at <= a.known_at AND v.original_transaction_key = r.original_transaction_key
          AND l.original_transaction_key = v.original_transaction_key
          AND l.environment NOT IN ('Unverified', 'Xcode', 'LocalTesting')
          AND s.transaction_info_id = v.transaction_info_id
          AND s.product_id = a.product_id AND s.purchase_at <= a.as_of
          AND s.purchase_at >= a.began_at - (SELECT clock_difference FROM rule_constant)
          AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at
      ) THEN 1
      ELSE 0
    END AS is_in_evidence,
    -- 1 when something ever connected the original transaction of this payment with the customer. Of a copy, the
    -- original transaction id counts.
    CASE
      WHEN a.transaction_id IS NULL OR (a.customer IS NULL AND a.app_account_token IS NULL) THEN 1
      WHEN EXISTS (
        SELECT 1 FROM int_customer_candidate r JOIN stg_transaction t
          ON t.original_transaction_key = r.original_transaction_key
        WHERE r.customer IN (a.customer, a.app_account_token) AND r.effective_at <= a.as_of
          AND r.recorded_at <= a.known_at AND t.transaction_id = a.transaction_id
      ) THEN 1
      WHEN EXISTS (
        SELECT 1 FROM int_customer_candidate r JOIN original_transaction l
          ON l.original_transaction_key = r.original_transaction_key
        WHERE r.customer IN (a.customer, a.app_account_token) AND r.effective_at <= a.as_of
          AND r.recorded_at <= a.known_at AND l.original_transaction_id = a.original_transaction_id
      ) THEN 1
      ELSE 0
    END AS is_theirs,
    -- 1 when this payment belongs to anybody: by an account token, or by an entry about the transaction or its
    -- original.
    CASE
      WHEN EXISTS (
        SELECT 1
        FROM stg_transaction t
        JOIN transaction_version v ON v.original_transaction_key = t.original_transaction_key
        JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
        JOIN stg_payload i ON i.payload_id = v.payload_id
        WHERE t.transaction_id = a.transaction_id AND s.app_account_token IS NOT NULL AND i.recorded_at <= a.known_at
      ) THEN 1
      WHEN EXISTS (
        SELECT 1
        FROM stg_transaction t
        JOIN original_transaction l ON l.original_transaction_key = t.original_transaction_key
        JOIN customer_link_entry e ON e.identifier IN (l.original_transaction_id, t.transaction_id)
        WHERE t.transaction_id = a.transaction_id AND e.effective_at <= a.as_of AND e.recorded_at <= a.known_at
      ) THEN 1
      ELSE 0
    END AS is_claimed
  FROM int_client_attempt a
) judged;

CREATE VIEW refund_request AS
SELECT
  environment, original_transaction_id, transaction_id, requested_at, recorded_at, reason,
  CASE
    WHEN revoked_at <= as_of THEN 'refunded'
    WHEN first_answer_at IS NULL THEN NULL
    WHEN is_refunded = 1 THEN 'refunded'
    ELSE 'declined'
  END AS outcome,
  CASE WHEN revoked_at <= as_of THEN revoked_at ELSE first_answer_at END AS answered_at,
  as_of, known_at, original_transaction_key, transaction_key, payload_id
FROM (
  SELECT
    l.environment, l.original_transaction_id, n.transaction_id, r.evidence_at AS requested_at, r.recorded_at,
    r.consumption_request_reason AS reason,
    (
      SELECT MAX(t.revoked_at) FROM int_current_transaction_version t
      WHERE t.as_of = r.as_of AND t.known_at = r.known_at AND t.original_transaction_key = r.original_transaction_key
        AND t.transaction_key = r.transaction_key AND t.is_upgraded = 0
    ) AS revoked_at,
    (
      SELECT MIN(a.evidence_at) FROM int_refund_answer a
      WHERE a.as_of = r.as_of AND a.known_at = r.known_at AND a.original_transaction_key = r.original_transaction_key
        AND a.request_id = r.payload_id
    ) AS first_answer_at,
    (
      SELECT MAX(a.is_refunded) FROM int_refund_answer a
      WHERE a.as_of = r.as_of AND a.known_at = r.known_at AND a.original_transaction_key = r.original_transaction_key
        AND a.request_id = r.payload_id
    ) AS is_refunded,
    r.as_of, r.known_at, r.original_transaction_key, r.transaction_key, r.payload_id
  FROM int_refund_notification r
  JOIN original_transaction l ON l.original_transaction_key = r.original_transaction_key
  LEFT JOIN stg_transaction n ON n.transaction_key = r.transaction_key
  WHERE r.notification_type = 'CONSUMPTION_REQUEST'
) asked;

CREATE VIEW rule_purchase_obstacle AS
WITH attempt AS (SELECT * FROM purchase_attempt),
-- The names that reports may use for a customer: the customer's own id, and every id in a staff entry about them.
called AS (
  SELECT as_of, known_at, customer AS name, customer FROM attempt WHERE customer IS NOT NULL
  UNION
  SELECT as_of, known_at, app_account_token, app_account_token FROM attempt WHERE app_account_token IS NOT NULL
  UNION
  SELECT q.as_of, q.known_at, e.identifier, c.customer
  FROM param_query q
  CROSS JOIN customer_link_entry e
  JOIN customer c ON c.customer_key = e.customer_key
  WHERE e.recorded_at <= q.known_at
),
mine AS (
  SELECT n.customer AS claimant, a.*
  FROM attempt a
  JOIN called n ON n.as_of = a.as_of AND n.known_at = a.known_at AND n.name = a.customer
  UNION
  SELECT n.customer, a.*
  FROM attempt a
  JOIN called n ON n.as_of = a.as_of AND n.known_at = a.known_at AND n.name = a.app_account_token
)
SELECT
  customer, product_id, environment, reason, begins_at, ends_at, transaction_id, will_renew, as_of, known_at
FROM (
  SELECT
    a.claimant AS customer, a.product_id, CAST(NULL AS VARCHAR(64)) AS environment, a.state AS reason,
    a.state_since AS begins_at,
    a.state_since + CASE a.state WHEN 'waiting_for_approval' THEN k.approval_duration ELSE p.patience END AS ends_at,
    a.transaction_id, CAST(NULL AS BIGINT) AS will_renew, a.as_of, a.known_at
  FROM mine a
  CROSS JOIN param_clearance p
  CROSS JOIN rule_constant k
  WHERE a.is_open = 1 AND a.kind <> 'restore'
  UNION ALL
  SELECT
    a.claimant, a.product_id, NULL, 'paid_not_verified', a.paid_at, a.paid_at + p.patience, a.transaction_id, NULL,
    a.as_of, a.known_at
  FROM mine a
  CROSS JOIN param_clearance p
  WHERE a.is_open = 0 AND a.finding = 'paid_never_verified' AND a.kind <> 'restore'
  UNION ALL
  SELECT
    a.claimant, e.product_id, e.environment, 'paid_not_theirs', a.paid_at, e.access_ends_at, a.transaction_id,
    e.will_renew, a.as_of, a.known_at
  FROM mine a
  JOIN stg_transaction t ON t.transaction_id = a.transaction_id
  JOIN entitlement e
    ON e.as_of = a.as_of AND e.known_at = a.known_at AND e.original_transaction_key = t.original_transaction_key
  WHERE a.is_theirs = 0 AND a.is_in_evidence = 1 AND e.has_access = 1
  UNION ALL
  SELECT
    c.customer, e.product_id, e.environment, 'already_entitled', e.purchase_at, e.access_ends_at, e.transaction_id,
    e.will_renew, c.as_of, c.known_at
  FROM customer_original_transaction c
  JOIN entitlement e
    ON e.as_of = c.as_of AND e.known_at = c.known_at AND e.original_transaction_key = c.original_transaction_key
  WHERE e.has_access = 1
  UNION ALL
  SELECT
    c.customer, o.product_id, o.environment, 'already_entitled', o.purchase_at, o.access_ends_at, o.transaction_id,
    NULL, c.as_of, c.known_at
  FROM customer_original_transaction c
  JOIN one_time_purchase o
    ON o.as_of = c.as_of AND o.known_at = c.known_at AND o.original_transaction_key = c.original_transaction_key
  WHERE o.has_access = 1
) obstacle
WHERE ends_at IS NULL OR ends_at > as_of;

CREATE VIEW stg_transaction_version AS
SELECT
  v.*, COALESCE(v.signed_at, i.evidence_at) AS evidence_at, i.recorded_at,
  CASE WHEN v.signed_at IS NULL THEN i.is_inferred ELSE 0 END AS is_inferred, i.is_contradictory, i.trust_level,
  i.digest AS payload_digest
FROM transaction_version v
CROSS JOIN stg_payload i
WHERE i.payload_id = v.payload_id;

CREATE VIEW int_last_evidence AS
SELECT
  known_at, original_transaction_key, MAX(evidence_at) AS evidence_at,
  MAX(uncontradicted_evidence_at) AS uncontradicted_evidence_at, MAX(is_contradicted) AS is_contradicted
FROM (
  SELECT
    a.known_at, a.original_transaction_key, l.evidence_at, l.evidence_at AS uncontradicted_evidence_at,
    l.is_contradicted
  FROM int_scope_known a
  CROSS JOIN projection_original_transaction l
  WHERE l.original_transaction_key = a.original_transaction_key AND l.last_recorded_at <= a.known_at
    AND l.is_contradicted = 0
  UNION ALL
  SELECT
    a.known_at, a.original_transaction_key, v.evidence_at, CASE WHEN v.is_contradictory = 0 THEN v.evidence_at END,
    l.is_contradicted
  FROM int_scope_known a CROSS JOIN projection_original_transaction l CROSS JOIN stg_transaction_version v
  WHERE l.original_transaction_key = a.original_transaction_key
    AND (l.last_recorded_at > a.known_at OR l.is_contradicted = 1)
    AND v.original_transaction_key = a.original_transaction_key AND v.recorded_at <= a.known_at
  UNION ALL
  SELECT
    a.known_at, a.original_transaction_key, v.evidence_at, CASE WHEN v.is_contradictory = 0 THEN v.evidence_at END,
    l.is_contradicted
  FROM int_scope_known a CROSS JOIN projection_original_transaction l CROSS JOIN stg_renewal_info_version v
  WHERE l.original_transaction_key = a.original_transaction_key
    AND (l.last_recorded_at > a.known_at OR l.is_contradicted = 1)
    AND v.original_transaction_key = a.original_transaction_key AND v.recorded_at <= a.known_at
  UNION ALL
  SELECT
    a.known_at, a.original_transaction_key, c.evidence_at, CASE WHEN c.is_contradictory = 0 THEN c.evidence_at END,
    l.is_contradicted
  FROM int_scope_known a CROSS JOIN projection_original_transaction l CROSS JOIN stg_status_claim c
  WHERE l.original_transaction_key = a.original_transaction_key
    AND (l.last_recorded_at > a.known_at OR l.is_contradicted = 1)
    AND c.original_transaction_key = a.original_transaction_key AND c.recorded_at <= a.known_at
) stated
GROUP BY known_at, original_transaction_key;

CREATE VIEW int_original_transaction_evidence AS
SELECT
  original_transaction_key, MAX(recorded_at) AS last_recorded_at, MAX(evidence_at) AS evidence_at,
  MAX(is_contradictory) AS is_contradicted, MIN(trust_level) AS least_trust
FROM (
  SELECT v.original_transaction_key, v.recorded_at, v.evidence_at, v.is_contradictory, v.trust_level
  FROM param_subscription a
  CROSS JOIN stg_transaction_version v
  WHERE v.original_transaction_key = a.original_transaction_key
  UNION ALL
  SELECT v.original_transaction_key, v.recorded_at, v.evidence_at, v.is_contradictory, v.trust_level
  FROM param_subscription a
  CROSS JOIN stg_renewal_info_version v
  WHERE v.original_transaction_key = a.original_transaction_key
  UNION ALL
  SELECT v.original_transaction_key, v.recorded_at, v.evidence_at, v.is_contradictory, v.trust_level
  FROM param_subscription a
  CROSS JOIN stg_status_claim v
  WHERE v.original_transaction_key = a.original_transaction_key
) stated
GROUP BY original_transaction_key;

CREATE VIEW int_signed_transaction_version AS
SELECT
  as_of, known_at, original_transaction_key, environment, original_transaction_id, transaction_key, transaction_id,
  version_id, evidence_at, purchase_at, expires_at, revoked_at, is_upgraded, transaction_info_id
FROM (
  SELECT
    t.*, v.transaction_info_id,
    ROW_NUMBER() OVER (
      PARTITION BY
        t.as_of, t.known_at, t.original_transaction_key, t.environment, t.original_transaction_id, t.transaction_key,
        t.transaction_id
      ORDER BY v.evidence_at DESC, c.digest DESC, v.payload_digest DESC
    ) AS row_rank
  FROM int_current_transaction_version t
  CROSS JOIN stg_transaction_version v
  CROSS JOIN transaction_info c
  WHERE t.source_rank > 1 AND v.original_transaction_key = t.original_transaction_key
    AND v.transaction_key = t.transaction_key AND v.source_rank = 1
    AND v.recorded_at <= t.known_at AND c.transaction_info_id = v.transaction_info_id
) stated
WHERE row_rank = 1;

CREATE VIEW int_current_transaction_info AS
SELECT
  t.as_of, t.known_at, t.original_transaction_key, t.environment, t.original_transaction_id, t.transaction_key,
  t.transaction_id, t.version_id, t.evidence_at, t.purchase_at, t.expires_at, t.revoked_at, t.is_upgraded,
  CAST(NULL AS BIGINT) AS signed_info_id
FROM int_current_transaction_version t
WHERE t.source_rank = 1 OR NOT EXISTS (
  SELECT 1 FROM stg_transaction_version v
  WHERE v.original_transaction_key = t.original_transaction_key AND v.transaction_key = t.transaction_key
    AND v.source_rank = 1 AND v.recorded_at <= t.known_at
)
UNION ALL
SELECT
  w.as_of, w.known_at, w.original_transaction_key, w.environment, w.original_transaction_id, w.transaction_key,
  w.transaction_id, w.version_id, w.evidence_at, w.purchase_at, w.expires_at, w.revoked_at, w.is_upgraded,
  w.transaction_info_id
FROM int_signed_transaction_version w;

CREATE VIEW int_transaction_version_interval AS
SELECT
  original_transaction_key, transaction_key, recorded_at AS known_from, beaten_at AS known_until, version_id,
  evidence_at, source_rank, purchase_at, expires_at, revoked_at, is_upgraded
FROM (
  SELECT
    v.original_transaction_key, v.transaction_key, v.version_id, v.source_rank, v.recorded_at, v.evidence_at,
    s.purchase_at, s.expires_at, s.revoked_at, s.is_upgraded,
    MIN(v.recorded_at) OVER (
      PARTITION BY v.transaction_key
      ORDER BY
        v.evidence_at DESC,
        v.source_rank,
        CASE WHEN s.revoked_at IS NULL THEN 1 ELSE 0 END,
        COALESCE(s.expires_at, -1) DESC,
        s.digest DESC,
        v.payload_digest DESC
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS beaten_at
  FROM param_subscription a
  CROSS JOIN stg_transaction_version v
  CROSS JOIN transaction_info s
  WHERE v.original_transaction_key = a.original_transaction_key AND s.transaction_info_id = v.transaction_info_id
) ordered
WHERE beaten_at IS NULL OR beaten_at > recorded_at;

CREATE VIEW rule_disagreement AS
SELECT
  s.environment, s.original_transaction_id, c.status, s.state, s.rule, c.compared_at, c.evidence_at, c.as_of,
  c.known_at, c.original_transaction_key, s.version_id, c.claim_id
FROM (
  SELECT
    a.as_of, a.known_at, a.original_transaction_key, c.claim_id, c.payload_id, c.status, c.evidence_at,
    CASE WHEN c.purchase_at > c.evidence_at THEN c.purchase_at ELSE c.evidence_at END AS compared_at
  FROM param_scope a
  CROSS JOIN stg_status_claim c
  WHERE c.original_transaction_key = a.original_transaction_key AND c.recorded_at <= a.known_at
) c
JOIN state_history s
  ON s.known_at = c.known_at AND s.original_transaction_key = c.original_transaction_key
  AND s.begins_at <= c.compared_at AND COALESCE(s.ends_at, 9223372036854775807) > c.compared_at
WHERE c.compared_at <= c.as_of
  AND c.status <> CASE s.state
    WHEN 'active' THEN 1 WHEN 'expired' THEN 2 WHEN 'billing_retry' THEN 3 WHEN 'grace_period' THEN 4 ELSE 5
  END
  AND NOT (
    c.status = 5 AND EXISTS (
      SELECT 1
      FROM transaction_version h
      JOIN stg_transaction_version v
        ON v.original_transaction_key = h.original_transaction_key AND v.transaction_key = h.transaction_key
      JOIN transaction_info i ON i.transaction_info_id = v.transaction_info_id
      WHERE h.version_id = s.version_id AND i.revoked_at <= c.compared_at AND v.evidence_at <= c.compared_at
        AND v.recorded_at <= c.known_at
    )
  )
  AND NOT (
    c.compared_at > c.evidence_at AND EXISTS (
      SELECT 1
      FROM transaction_version h
      JOIN stg_transaction_version v
        ON v.original_transaction_key = h.original_transaction_key AND v.transaction_key = h.transaction_key
      WHERE h.original_transaction_key = c.original_transaction_key
        AND (h.version_id = s.version_id OR h.payload_id = c.payload_id)
        AND v.evidence_at > c.evidence_at AND v.evidence_at <= c.compared_at AND v.recorded_at <= c.known_at
    )
  );

CREATE VIEW rule_input AS
SELECT
  p.as_of, p.known_at, p.original_transaction_key, p.change_number, p.version_id, p.transaction_key, p.product_id,
  p.purchase_at, p.expires_at, p.revoked_at, p.is_upgraded, p.superseded_at, e.evidence_at,
  g.version_id AS deciding_renewal_info_version_id, g.grace_period_expires_at, g.is_in_billing_retry_period,
  g.expiration_intent, g.auto_renew_status AS deciding_auto_renew_status, g.signed_at AS renewal_signed_at,
  n.version_id AS latest_renewal_info_version_id, n.auto_renew_status, n.auto_renew_product_id,
  e.uncontradicted_evidence_at,
  -- 1 when only contradictory payloads state the deciding version. `confirmed` (rules §6) depends on it.
  CASE
    WHEN e.is_contradicted = 1 AND NOT EXISTS (
      SELECT 1 FROM int_sound_version x
      WHERE x.original_transaction_key = p.original_transaction_key AND x.version_id = p.version_id
        AND x.recorded_at <= p.known_at
    ) THEN 1
    ELSE 0
  END AS is_contradicted
FROM (
  SELECT
    i.as_of, i.change_number, i.last_at, t.*,
    CASE
      WHEN i.as_of < t.expires_at THEN NULL
      WHEN i.last_at >= t.expires_at THEN i.last_at
      ELSE COALESCE(
        (
          SELECT MIN(n.evidence_at)
          FROM int_renewal_info_history n
          WHERE n.known_at = i.known_at AND n.original_transaction_key = i.original_transaction_key
            AND n.evidence_at > i.as_of
        ),
        i.last_at)
    END AS deciding_at
  FROM (
    SELECT
      as_of, known_at, original_transaction_key,
      MAX(purchase_at) OVER past AS purchase_at,
      MAX(info_at) OVER past AS last_at,
      DENSE_RANK() OVER past AS change_number,
      LAG(as_of) OVER past AS previous_at
    FROM int_change_instant
    WINDOW past AS (PARTITION BY known_at, original_transaction_key ORDER BY as_of)
  ) i
  JOIN int_deciding_period t
    ON t.known_at = i.known_at AND t.original_transaction_key = i.original_transaction_key
    AND t.purchase_at = i.purchase_at
  -- Rows with the same instant have the same values; keep the first.
  WHERE i.previous_at IS NULL OR i.previous_at < i.as_of
) p
LEFT JOIN int_last_evidence e
  ON e.known_at = p.known_at AND e.original_transaction_key = p.original_transaction_key
-- The deciding renewal info.
LEFT JOIN int_renewal_info_tie gp
  ON gp.known_at = p.known_at AND gp.original_transaction_key = p.original_transaction_key
  AND gp.evidence_at = p.deciding_at AND gp.product_id = p.product_id
LEFT JOIN int_renewal_info_history g
  ON g.known_at = p.known_at AND g.original_transaction_key = p.original_transaction_key
  AND g.evidence_at = p.deciding_at AND g.row_rank = COALESCE(gp.row_rank, 1)
-- The latest renewal info.
LEFT JOIN int_renewal_info_tie np
  ON np.known_at = p.known_at AND np.original_transaction_key = p.original_transaction_key
  AND np.evidence_at = p.last_at AND np.product_id = p.product_id
LEFT JOIN int_renewal_info_history n
  ON n.known_at = p.known_at AND n.original_transaction_key = p.original_transaction_key
  AND n.evidence_at = p.last_at AND n.row_rank = COALESCE(np.row_rank, 1);

CREATE VIEW rule_fact AS
SELECT
  as_of, known_at, original_transaction_key, change_number, version_id, transaction_key, product_id, purchase_at,
  expires_at, revoked_at, is_upgraded, superseded_at,
  -- While T < E, no grace period counts, even when later evidence states one.
  CASE WHEN grace_period_expires_at > expires_at AND expires_at <= as_of THEN grace_period_expires_at END
    AS grace_period_expires_at,
  COALESCE(is_in_billing_retry_period, 0) AS is_in_billing_retry_period,
  expiration_intent, deciding_renewal_info_version_id, latest_renewal_info_version_id, auto_renew_status,
  auto_renew_product_id, evidence_at,
  is_contradicted,
  -- Rules §6: 1 when evidence of any kind has evidence_at >= E. Contradictory payloads do not count.
  CASE WHEN uncontradicted_evidence_at >= expires_at THEN 1 ELSE 0 END AS has_later_evidence,
  -- Rules §6: 1 when the deciding renewal info implies a renewal whose transaction the ledger never received. Apple
  -- signed the renewal info at or after E, and at or before T. It has no expiration_intent and is not in billing retry.
  -- Auto-renew is on, or revoked_at >= E. Renewal info from a receipt does not count, because a receipt lists every
  -- transaction.
  CASE
    WHEN renewal_signed_at >= expires_at AND renewal_signed_at <= as_of
      AND (deciding_auto_renew_status = 1 OR revoked_at >= expires_at) AND expiration_intent IS NULL
      AND COALESCE(is_in_billing_retry_period, 0) = 0
    THEN 1
    ELSE 0
  END AS implies_renewal
FROM rule_input;

CREATE VIEW rule_decision AS
SELECT
  f.*,
  CASE
    WHEN is_upgraded = 0 AND revoked_at <= as_of THEN 'revoked'
    WHEN is_upgraded = 1 AND superseded_at <= as_of THEN 'superseded'
    WHEN as_of < expires_at THEN 'covered'
    WHEN grace_period_expires_at > as_of THEN 'grace'
    WHEN is_in_billing_retry_period = 1 AND as_of < expires_at + (SELECT billing_retry_duration FROM rule_constant)
      THEN 'retry'
    WHEN is_in_billing_retry_period = 1 THEN 'retry_exhausted'
    WHEN has_later_evidence = 1 AND implies_renewal = 0 THEN 'lapsed'
    ELSE 'unconfirmed'
  END AS rule
FROM rule_fact f;

CREATE VIEW int_entitlement_instant AS
SELECT
  as_of,
  known_at,
  original_transaction_key,
  change_number,
  product_id,
  CASE rule
    WHEN 'revoked' THEN 'revoked'
    WHEN 'covered' THEN 'active'
    WHEN 'grace' THEN 'grace_period'
    WHEN 'retry' THEN 'billing_retry'
    ELSE 'expired'
  END AS state,
  CASE WHEN rule IN ('covered', 'grace') THEN 1 ELSE 0 END AS has_access,
  CASE
    WHEN rule = 'revoked' AND revoked_at < expires_at THEN revoked_at
    WHEN rule = 'superseded' THEN superseded_at
    WHEN rule IN ('revoked', 'covered') THEN expires_at
    ELSE COALESCE(grace_period_expires_at, expires_at)
  END AS access_ends_at,
  CASE
    WHEN rule = 'superseded' THEN 0
    WHEN rule IN ('covered', 'revoked') AND is_contradicted = 1 THEN 0
    WHEN rule = 'covered' THEN 1
    WHEN implies_renewal = 1 THEN 0
    WHEN rule = 'revoked' THEN 1
    ELSE has_later_evidence
  END AS confirmed,
  auto_renew_status AS will_renew,
  auto_renew_product_id AS next_product_id,
  CASE
    WHEN rule = 'retry_exhausted' THEN 'billing_error'
    WHEN rule NOT IN ('lapsed', 'unconfirmed') THEN NULL
    WHEN expiration_intent = 1 THEN 'customer_cancelled'
    WHEN expiration_intent = 2 THEN 'billing_error'
    WHEN expiration_intent = 3 THEN 'price_increase_not_accepted'
    WHEN expiration_intent = 4 THEN 'product_unavailable'
    WHEN expiration_intent IS NOT NULL THEN 'other'
  END AS expiration_reason,
  rule,
  evidence_at,
  purchase_at,
  expires_at,
  revoked_at,
  grace_period_expires_at,
  transaction_key,
  version_id,
  -- Before the end of the period, no renewal info decides. (SQLite makes a table of a list of more than two.)
  CASE rule
    WHEN 'revoked' THEN NULL WHEN 'superseded' THEN NULL WHEN 'covered' THEN NULL
    ELSE deciding_renewal_info_version_id
  END AS renewal_info_version_id
FROM rule_decision;

CREATE VIEW int_entitlement_period AS
SELECT
  e.known_at, e.original_transaction_key, e.as_of AS begins_at, c.ends_at, e.product_id, e.state, e.has_access,
  e.access_ends_at, e.confirmed, e.will_renew, e.next_product_id, e.expiration_reason, e.rule, e.evidence_at,
  e.purchase_at, e.expires_at, e.revoked_at, e.grace_period_expires_at, e.transaction_key, e.version_id,
  e.renewal_info_version_id
FROM (
  -- The instants at which the answer is different from the one before. Two answers with the same values here are equal:
  -- the other columns follow from these.
  SELECT
    n.known_at, n.original_transaction_key, n.change_number,
    LEAD(n.as_of) OVER (PARTITION BY n.known_at, n.original_transaction_key ORDER BY n.change_number) AS ends_at
  FROM int_entitlement_instant n
  LEFT JOIN int_entitlement_instant p
    ON p.known_at = n.known_at AND p.original_transaction_key = n.original_transaction_key
    AND p.change_number = n.change_number - 1
    AND p.version_id = n.version_id
    AND p.rule = n.rule
    AND p.confirmed = n.confirmed
    AND COALESCE(p.will_renew, 2) = COALESCE(n.will_renew, 2)
    AND COALESCE(p.next_product_id, '') = COALESCE(n.next_product_id, '')
    AND COALESCE(p.grace_period_expires_at, 0) = COALESCE(n.grace_period_expires_at, 0)
    AND COALESCE(p.renewal_info_version_id, 0) = COALESCE(n.renewal_info_version_id, 0)
  WHERE p.change_number IS NULL
) c
JOIN int_entitlement_instant e
  ON e.known_at = c.known_at AND e.original_transaction_key = c.original_transaction_key
  AND e.change_number = c.change_number;

CREATE VIEW transaction_current AS
WITH typed AS (
  SELECT
    t.environment, COALESCE(s.bundle_id, p.bundle_id) AS bundle_id, t.original_transaction_id, t.transaction_id,
    s.product_id, COALESCE(s.type, g.type) AS type, t.purchase_at, t.expires_at,
    CASE WHEN t.revoked_at <= t.as_of THEN t.revoked_at END AS revoked_at,
    CASE WHEN t.is_upgraded = 1 AND COALESCE(t.revoked_at, t.evidence_at) <= t.as_of THEN 1 ELSE 0 END AS is_upgraded,
    s.original_purchase_at,
    COALESCE(s.web_order_line_item_id, g.web_order_line_item_id) AS web_order_line_item_id,
    -- A transaction that names no order is an order of its own.
    CASE WHEN COALESCE(s.web_order_line_item_id, g.web_order_line_item_id) IS NULL THEN t.transaction_key END
      AS lone_transaction_key,
    COALESCE(s.subscription_group_identifier, g.subscription_group_identifier) AS subscription_group_identifier,
    COALESCE(s.in_app_ownership_type, g.in_app_ownership_type) AS in_app_ownership_type, s.quantity,
    COALESCE(s.transaction_reason, g.transaction_reason) AS transaction_reason, s.revocation_reason,
    COALESCE(s.revocation_type, g.revocation_type) AS revocation_type,
    COALESCE(s.revocation_percentage, g.revocation_percentage) AS revocation_percentage, s.is_trial_period,
    s.is_in_intro_offer_period, COALESCE(s.offer_type, g.offer_type) AS offer_type,
    COALESCE(s.offer_identifier, g.offer_identifier) AS offer_identifier,
    COALESCE(s.offer_discount_type, g.offer_discount_type) AS offer_discount_type,
    COALESCE(s.offer_period, g.offer_period) AS offer_period, COALESCE(s.storefront, g.storefront) AS storefront,
    COALESCE(s.currency, g.currency) AS currency,
    CASE
      WHEN COALESCE(s.in_app_ownership_type, g.in_app_ownership_type) IN ('FAMILY_SHARED', 'ASSIGNED') THEN 0
      ELSE 1
    END AS is_paid_by_owner,
    COALESCE(s.price_milliunits, g.price_milliunits) AS price_milliunits,
    COALESCE(s.app_account_token, g.app_account_token) AS app_account_token,
    COALESCE(s.app_transaction_id, g.app_transaction_id) AS app_transaction_id,
    p.trust, t.evidence_at, t.as_of, t.known_at, t.original_transaction_key, t.transaction_key, t.version_id,
    COALESCE(s.billing_plan_type, g.billing_plan_type) AS billing_plan_type,
    COALESCE(s.commitment_billing_period_number, g.commitment_billing_period_number)
      AS commitment_billing_period_number,
    COALESCE(s.commitment_total_billing_periods, g.commitment_total_billing_periods)
      AS commitment_total_billing_periods
  FROM int_current_transaction_info t
  JOIN transaction_version v ON v.version_id = t.version_id
  JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
  JOIN stg_payload_trust p ON p.payload_id = v.payload_id
  LEFT JOIN transaction_info g ON g.transaction_info_id = t.signed_info_id
  WHERE t.purchase_at <= t.as_of
),
-- Each transaction with what the transactions of its order state together. The window names every column that tells
-- subscriptions apart, so that SQLite limits it to those in question.
ordered AS (
  SELECT
    t.*,
    MAX(price_milliunits) OVER same_order AS order_price_milliunits,
    MAX(currency) OVER same_order AS order_currency,
    MAX(storefront) OVER same_order AS order_storefront,
    MAX(offer_type) OVER same_order AS order_offer_type,
    MAX(offer_identifier) OVER same_order AS order_offer_identifier,
    MAX(offer_discount_type) OVER same_order AS order_offer_discount_type,
    MAX(offer_period) OVER same_order AS order_offer_period,
    ROW_NUMBER() OVER (
      PARTITION BY
        as_of, known_at, original_transaction_key, environment, original_transaction_id, web_order_line_item_id,
        lone_transaction_key
      ORDER BY purchase_at, transaction_id
    ) AS row_rank
  FROM typed t
  WINDOW same_order AS (
    PARTITION BY
      as_of, known_at, original_transaction_key, environment, original_transaction_id, web_order_line_item_id,
      lone_transaction_key
  )
)
SELECT
  environment, bundle_id, original_transaction_id, transaction_id, product_id, type, purchase_at, expires_at,
  revoked_at, is_upgraded, original_purchase_at, web_order_line_item_id, subscription_group_identifier,
  in_app_ownership_type, quantity, transaction_reason, revocation_reason, revocation_type, revocation_percentage,
  is_trial_period, is_in_intro_offer_period, COALESCE(offer_type, order_offer_type) AS offer_type,
  COALESCE(offer_identifier, order_offer_identifier) AS offer_identifier,
  COALESCE(offer_discount_type, order_offer_discount_type) AS offer_discount_type,
  COALESCE(offer_period, order_offer_period) AS offer_period, COALESCE(storefront, order_storefront) AS storefront,
  COALESCE(currency, order_currency) AS currency,
  CASE WHEN is_paid_by_owner = 1 THEN COALESCE(price_milliunits, order_price_milliunits) END AS price_milliunits,
  CASE
    WHEN revoked_at IS NULL OR is_upgraded = 1 OR is_paid_by_owner = 0 THEN NULL
    WHEN revocation_percentage IS NULL THEN COALESCE(price_milliunits, order_price_milliunits)
    ELSE (COALESCE(price_milliunits, order_price_milliunits) * revocation_percentage + 50000) / 100000
  END AS refunded_milliunits,
  CASE WHEN row_rank > 1 THEN 0 ELSE 1 END AS is_counted,
  app_account_token, app_transaction_id, trust, evidence_at, as_of, known_at, original_transaction_key,
  transaction_key, version_id,
  billing_plan_type, commitment_billing_period_number, commitment_total_billing_periods, is_paid_by_owner,
  CASE
    WHEN is_trial_period = 1 OR COALESCE(offer_discount_type, order_offer_discount_type) = 'FREE_TRIAL' THEN 1
    WHEN is_paid_by_owner = 1 AND COALESCE(price_milliunits, order_price_milliunits) = 0 THEN 1
    ELSE 0
  END AS is_free
FROM ordered;

CREATE VIEW data_quality AS
SELECT
  e.environment, g.gap,
  SUM(
    CASE g.gap
      WHEN 'no_price'
        THEN CASE
          WHEN s.is_paid_by_owner = 0 THEN 0
          WHEN s.price_milliunits IS NULL THEN 1
          ELSE 0
        END
      WHEN 'no_renewal_info' THEN CASE WHEN e.will_renew IS NULL THEN 1 ELSE 0 END
      WHEN 'unconfirmed' THEN CASE WHEN e.confirmed = 0 THEN 1 ELSE 0 END
      ELSE CASE
        WHEN e.state IN ('active', 'grace_period', 'billing_retry') AND e.evidence_at < e.as_of - 3024000000 THEN 1
        ELSE 0
      END
    END
  ) AS subscription_count,
  COUNT(*) AS of_subscription_count, e.as_of, e.known_at
FROM entitlement_state e
JOIN transaction_current s
  ON s.as_of = e.as_of AND s.known_at = e.known_at AND s.original_transaction_key = e.original_transaction_key
  AND s.transaction_key = e.transaction_key
CROSS JOIN (
  SELECT 'no_price' AS gap UNION ALL SELECT 'no_renewal_info' UNION ALL SELECT 'unconfirmed'
  UNION ALL SELECT 'no_evidence_in_35_days'
) g
GROUP BY e.environment, g.gap, e.as_of, e.known_at;

CREATE VIEW int_subscription_phase AS
WITH span AS (
  SELECT
    t.as_of, s.known_at, s.original_transaction_key, s.begins_at, s.environment, t.bundle_id, s.product_id,
    t.storefront AS country, t.currency, t.offer_type, t.offer_identifier, t.price_milliunits,
    t.in_app_ownership_type, t.is_paid_by_owner, t.is_free, t.offer_discount_type, t.offer_period,
    t.billing_plan_type, s.purchase_at, s.expires_at, s.state, s.rule, s.has_access, s.will_renew,
    s.expiration_reason, s.version_id,
    CASE WHEN t.price_milliunits > 0 THEN (s.expires_at - s.purchase_at + 43200000) / 86400000 ELSE 0 END
      AS priced_days
  FROM state_history s
  JOIN transaction_current t
    ON t.known_at = s.known_at AND t.original_transaction_key = s.original_transaction_key
    AND t.transaction_key = s.transaction_key
)
SELECT
  k.*,
  LAG(kind) OVER history AS previous_kind,
  LAG(state) OVER history AS previous_state,
  LAG(product_id) OVER history AS previous_product_id,
  LAG(is_free) OVER history AS was_free,
  LEAD(kind) OVER history AS next_kind,
  LEAD(state) OVER history AS next_state,
  LEAD(rule) OVER history AS next_rule,
  LEAD(will_renew) OVER history AS next_will_renew,
  LEAD(expiration_reason) OVER history AS next_expiration_reason,
  LEAD(product_id) OVER history AS next_phase_product_id,
  (SUM(CASE WHEN kind = 'paid' THEN 1 ELSE 0 END) OVER history) - CASE WHEN kind = 'paid' THEN 1 ELSE 0 END AS
    paid_before
FROM (
  SELECT
    c.*,
    LEAD(begins_at) OVER history AS ends_at,
    CASE
      WHEN has_access = 0 THEN NULL
      WHEN in_app_ownership_type = 'FAMILY_SHARED' THEN 'family'
      WHEN in_app_ownership_type = 'ASSIGNED' THEN 'seat'
      WHEN is_free = 0 THEN 'paid'
      WHEN MAX(CASE WHEN has_access = 1 AND is_free = 0 THEN begins_at END) OVER history
        > COALESCE(MAX(CASE WHEN has_access = 0 THEN begins_at END) OVER history, 0)
      THEN 'paid'
      ELSE 'trial'
    END AS kind
  FROM (
    SELECT s.*
    FROM (
      SELECT
        as_of, known_at, original_transaction_key, begins_at,
        LAG(begins_at) OVER (PARTITION BY as_of, known_at, original_transaction_key ORDER BY begins_at) AS previous_at
      FROM span
    ) x
    JOIN span s
      ON s.as_of = x.as_of AND s.known_at = x.known_at AND s.original_transaction_key = x.original_transaction_key
      AND s.begins_at = x.begins_at
    -- The span before, if it is the same for metrics.
    LEFT JOIN span p
      ON p.as_of = x.as_of AND p.known_at = x.known_at AND p.original_transaction_key = x.original_transaction_key
      AND p.begins_at = x.previous_at
      AND p.state = s.state
      AND p.rule = s.rule
      AND COALESCE(p.will_renew, 2) = COALESCE(s.will_renew, 2)
      AND COALESCE(p.expiration_reason, '') = COALESCE(s.expiration_reason, '')
      AND (
        p.version_id = s.version_id
        OR s.state = 'active'
        AND COALESCE(p.product_id, '') = COALESCE(s.product_id, '')
        AND COALESCE(p.price_milliunits, -1) = COALESCE(s.price_milliunits, -1)
        AND p.priced_days = s.priced_days
        AND p.is_free = s.is_free
        AND COALESCE(p.bundle_id, '') = COALESCE(s.bundle_id, '')
        AND COALESCE(p.country, '') = COALESCE(s.country, '')
        AND COALESCE(p.currency, '') = COALESCE(s.currency, '')
        AND COALESCE(p.offer_type, 0) = COALESCE(s.offer_type, 0)
        AND COALESCE(p.offer_identifier, '') = COALESCE(s.offer_identifier, '')
        AND COALESCE(p.in_app_ownership_type, '') = COALESCE(s.in_app_ownership_type, '')
        AND COALESCE(p.offer_discount_type, '') = COALESCE(s.offer_discount_type, '')
        AND COALESCE(p.offer_period, '') = COALESCE(s.offer_period, '')
        AND COALESCE(p.billing_plan_type, '') = COALESCE(s.billing_plan_type, '')
      )
    WHERE p.begins_at IS NULL
  ) c
  WINDOW history AS (PARTITION BY as_of, known_at, original_transaction_key ORDER BY begins_at)
) k
WINDOW history AS (PARTITION BY as_of, known_at, original_transaction_key ORDER BY begins_at);

CREATE VIEW metric_delta_of_notification AS
SELECT
  r.as_of, r.known_at, r.original_transaction_key, 'refund_requests' AS measure, r.environment, t.bundle_id,
  t.product_id,
  t.storefront AS country, CASE m.kind WHEN 'answer' THEN r.outcome ELSE 'open' END AS reason, r.reason AS detail,
  r.requested_at - r.requested_at % 86400000 AS day_at,
  CASE m.kind WHEN 'open' THEN r.requested_at ELSE r.answered_at END AS effective_at,
  CASE m.kind WHEN 'closed' THEN -1 ELSE 1 END AS amount
FROM refund_request r
CROSS JOIN (SELECT 'open' AS kind UNION ALL SELECT 'closed' UNION ALL SELECT 'answer') m
LEFT JOIN (
  SELECT c.as_of, c.known_at, c.original_transaction_key, c.transaction_key, c.bundle_id, c.product_id, c.storefront
  FROM transaction_current c
) t ON t.as_of = r.as_of AND t.known_at = r.known_at AND t.original_transaction_key = r.original_transaction_key
AND t.transaction_key = r.transaction_key
WHERE m.kind = 'open' OR r.answered_at IS NOT NULL
UNION ALL
SELECT
  a.as_of, w.known_at, w.original_transaction_key, 'price_consent', l.environment, NULL, w.product_id, NULL,
  CASE w.price_increase_status WHEN 0 THEN 'asked' ELSE 'agreed' END, NULL,
  w.evidence_at - w.evidence_at % 86400000, w.evidence_at, 1
FROM (
  SELECT
    s.*, LAG(s.price_increase_status) OVER (PARTITION BY s.known_at, s.original_transaction_key
    ORDER BY s.evidence_at) AS previous_status
  FROM int_renewal_info_history s
  WHERE s.row_rank = 1
) w
JOIN original_transaction l ON l.original_transaction_key = w.original_transaction_key
JOIN param_scope a ON a.original_transaction_key = w.original_transaction_key AND a.known_at = w.known_at
WHERE w.price_increase_status = 0 AND COALESCE(w.previous_status, 1) <> 0
  OR w.price_increase_status = 1 AND w.previous_status = 0;

CREATE VIEW metric_delta_of_phase AS
SELECT
  s.as_of, s.known_at, s.original_transaction_key, m.measure, s.environment, s.bundle_id,
  s.product_id, s.country, CASE WHEN m.measure IN ('recurring', 'active_unpriced') THEN s.currency END AS currency,
  s.offer_type, s.offer_identifier,
  CASE m.measure
    WHEN 'new_paid'
      THEN CASE WHEN s.previous_kind = 'trial' OR s.was_free = 1 THEN 'trial_conversion'
        WHEN s.offer_type IS NOT NULL THEN 'paid_offer' ELSE 'direct' END
    WHEN 'resubscribed' THEN CASE WHEN s.previous_state = 'billing_retry' THEN 'billing_recovery' ELSE 'returned' END
    WHEN 'churned'
      THEN CASE
        WHEN s.next_state = 'revoked' THEN 'refunded'
        WHEN s.next_state = 'billing_retry' AND s.next_will_renew = 0 THEN 'customer_cancelled'
        WHEN s.next_state = 'billing_retry' THEN 'billing_error'
        WHEN s.next_rule = 'lapsed' THEN COALESCE(s.next_expiration_reason, 'unknown')
        WHEN s.next_kind = 'trial' THEN 'free_period'
        ELSE s.next_rule
      END
    WHEN 'retry_lost' THEN COALESCE(s.next_expiration_reason, s.next_state)
    WHEN 'grace_lost' THEN COALESCE(s.next_expiration_reason, s.next_state)
    WHEN 'price_consent' THEN 'refused'
  END AS reason,
  CASE WHEN m.measure IN ('grace_recovered', 'retry_recovered') THEN (s.ends_at - s.expires_at) / 86400000 END AS step,
  CASE
    WHEN m.measure <> 'recurring' THEN NULL
    WHEN s.billing_plan_type = 'MONTHLY' THEN 1
    WHEN s.offer_discount_type = 'PAY_UP_FRONT'
      THEN CASE s.offer_period
        WHEN 'P1M' THEN 1 WHEN 'P2M' THEN 2 WHEN 'P3M' THEN 3 WHEN 'P6M' THEN 6 WHEN 'P1Y' THEN 12
      END
  END AS own_months,
  CASE
    WHEN m.measure <> 'recurring' THEN NULL
    WHEN s.billing_plan_type = 'MONTHLY' THEN NULL
    WHEN s.offer_discount_type = 'PAY_UP_FRONT'
      THEN CASE s.offer_period WHEN 'P3D' THEN 3 WHEN 'P1W' THEN 7 WHEN 'P2W' THEN 14 END
  END AS own_days,
  CASE WHEN m.measure = 'recurring' THEN (s.expires_at - s.purchase_at + 43200000) / 86400000 END AS stated_days,
  CASE WHEN m.edge = 1 THEN s.begins_at ELSE s.ends_at END
    - CASE WHEN m.edge = 1 THEN s.begins_at ELSE s.ends_at END % 86400000 AS day_at,
  CASE WHEN m.edge = 1 THEN s.begins_at ELSE s.ends_at END AS effective_at,
  CASE WHEN m.measure = 'recurring' THEN m.edge * s.price_milliunits WHEN m.is_balance = 1 THEN m.edge ELSE 1 END
    AS amount
FROM int_subscription_phase s
CROSS JOIN (
  SELECT b.measure, e.edge, 1 AS is_balance
  FROM (
    SELECT 'active_subscriptions' AS measure UNION ALL SELECT 'recurring' UNION ALL SELECT 'active_unpriced'
    UNION ALL SELECT 'auto_renew_off' UNION ALL SELECT 'in_grace' UNION ALL SELECT 'active_trials'
    UNION ALL SELECT 'in_billing_retry' UNION ALL SELECT 'family_members' UNION ALL SELECT 'seats'
  ) b
  CROSS JOIN (SELECT 1 AS edge UNION ALL SELECT -1) e
  UNION ALL SELECT 'new_paid', 1, 0 UNION ALL SELECT 'resubscribed', 1, 0 UNION ALL SELECT 'switched_in', 1, 0
  UNION ALL SELECT 'churned', -1, 0 UNION ALL SELECT 'switched_out', -1, 0 UNION ALL SELECT 'price_consent', -1, 0
  UNION ALL SELECT 'grace_entered', 1, 0 UNION ALL SELECT 'grace_recovered', -1, 0 UNION ALL SELECT 'grace_lost', -1, 0
  UNION ALL SELECT 'retry_entered', 1, 0 UNION ALL SELECT 'retry_recovered', -1, 0 UNION ALL SELECT 'retry_lost', -1, 0
) m
WHERE (m.edge = 1 OR s.ends_at IS NOT NULL)
  AND CASE
    WHEN m.measure = 'family_members' THEN s.kind = 'family'
    WHEN m.measure = 'seats' THEN s.kind = 'seat'
    WHEN s.is_paid_by_owner = 0 THEN 1 = 0
    WHEN m.measure = 'active_subscriptions' THEN s.kind = 'paid'
    WHEN m.measure = 'recurring' THEN s.kind = 'paid' AND s.price_milliunits > 0
    WHEN m.measure = 'active_unpriced' THEN s.kind = 'paid' AND s.price_milliunits IS NULL
    WHEN m.measure = 'auto_renew_off' THEN s.kind = 'paid' AND s.will_renew = 0
    WHEN m.measure = 'in_grace' THEN s.kind = 'paid' AND s.state = 'grace_period'
    WHEN m.measure = 'active_trials' THEN s.kind = 'trial'
    WHEN m.measure = 'in_billing_retry' THEN s.state = 'billing_retry'
    WHEN m.measure = 'new_paid' THEN s.kind = 'paid' AND s.paid_before = 0
    WHEN m.measure = 'resubscribed'
      THEN s.kind = 'paid' AND s.paid_before > 0 AND COALESCE(s.previous_kind, '') <> 'paid'
    WHEN m.measure = 'churned' THEN s.kind = 'paid' AND COALESCE(s.next_kind, '') <> 'paid'
    WHEN m.measure = 'switched_in'
      THEN s.kind = 'paid' AND s.previous_kind = 'paid' AND s.previous_product_id <> s.product_id
    WHEN m.measure = 'switched_out'
      THEN s.kind = 'paid' AND s.next_kind = 'paid' AND s.next_phase_product_id <> s.product_id
    WHEN m.measure = 'price_consent'
      THEN s.has_access = 1 AND s.next_state = 'expired' AND s.next_expiration_reason = 'price_increase_not_accepted'
    WHEN m.measure = 'grace_entered'
      THEN s.state = 'grace_period' AND COALESCE(s.previous_state, '') <> 'grace_period'
    WHEN m.measure = 'grace_recovered' THEN s.state = 'grace_period' AND s.next_state = 'active'
    WHEN m.measure = 'grace_lost' THEN s.state = 'grace_period' AND s.next_state NOT IN ('active', 'grace_period')
    WHEN m.measure = 'retry_entered'
      THEN s.state = 'billing_retry' AND COALESCE(s.previous_state, '') <> 'billing_retry'
        AND COALESCE(s.will_renew, 1) = 1
    WHEN m.measure = 'retry_recovered' THEN s.state = 'billing_retry' AND s.next_state = 'active'
    WHEN m.measure = 'retry_lost'
      THEN s.state = 'billing_retry' AND s.next_state NOT IN ('active', 'billing_retry')
        AND (s.previous_state = 'billing_retry' OR COALESCE(s.will_renew, 1) = 1)
  END;

CREATE VIEW transaction_fact AS
WITH period AS (
  SELECT
    t.*, d.reference_name AS product_display_name, d.period AS product_duration, a.grace_period_end_at,
    a.unsubscribe_detected_at, a.billing_issues_detected_at,
    CASE WHEN t.expires_at IS NULL THEN 0 ELSE 1 END AS is_auto_renewable,
    CASE WHEN t.expires_at IS NULL THEN t.revoked_at ELSE COALESCE(a.access_until, t.purchase_at) END
      AS effective_end_at,
    COALESCE(t.in_app_ownership_type, 'PURCHASED') AS ownership_type,
    CASE WHEN t.is_paid_by_owner = 1 AND t.is_free = 0 THEN 1 ELSE 0 END AS is_payment,
    CASE WHEN t.is_free = 0 AND (t.is_in_intro_offer_period = 1 OR t.offer_type = 1) THEN 1 ELSE 0 END AS is_intro,
    CASE WHEN t.is_upgraded = 0 THEN t.revoked_at END AS refunded_at
  FROM transaction_current t
  LEFT JOIN int_period_access a
    ON a.known_at = t.known_at AND a.original_transaction_key = t.original_transaction_key
    AND a.purchase_at = t.purchase_at
  LEFT JOIN int_catalogue_app c
    ON c.as_of = t.as_of AND c.known_at = t.known_at AND c.named = COALESCE(t.bundle_id, '')
  LEFT JOIN product d
    ON d.as_of = t.as_of AND d.known_at = t.known_at AND d.bundle_id = c.bundle_id AND d.product_id = t.product_id
  WHERE t.is_counted = 1 AND (t.expires_at IS NULL OR t.expires_at > t.purchase_at)
),
-- Of each period only what is compared with other periods.
numbered AS (
  SELECT
    n.as_of, n.known_at, n.original_transaction_key, n.transaction_key, n.renewal_number, n.was_free,
    n.previous_effective_end_at, n.previous_product_id, n.previous_offer_type, n.previous_offer_identifier,
    n.payments_before,
    -- The start of the trial that this period is, or that came before it. A free period that a paying customer
    -- receives is not a trial.
    MIN(
      CASE
        WHEN n.is_free = 0 OR n.is_paid_by_owner = 0 OR n.is_auto_renewable = 0 OR n.was_free = 1 THEN NULL
        WHEN n.previous_effective_end_at >= n.purchase_at THEN NULL
        ELSE n.purchase_at
      END
    ) OVER (PARTITION BY n.as_of, n.known_at, n.original_transaction_key, n.payments_before) AS trial_start_at
  FROM (
    SELECT
      as_of, known_at, original_transaction_key, transaction_key, purchase_at, is_free, is_paid_by_owner,
      is_auto_renewable,
      ROW_NUMBER() OVER of_subscription AS renewal_number,
      LAG(is_free) OVER of_subscription AS was_free,
      LAG(effective_end_at) OVER of_subscription AS previous_effective_end_at,
      LAG(product_id) OVER of_subscription AS previous_product_id,
      LAG(offer_type) OVER of_subscription AS previous_offer_type,
      LAG(offer_identifier) OVER of_subscription AS previous_offer_identifier,
      (SUM(is_payment) OVER (
        PARTITION BY as_of, known_at, original_transaction_key ORDER BY purchase_at, expires_at, transaction_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      )) - is_payment AS payments_before
    FROM period
    WINDOW of_subscription AS (
      PARTITION BY as_of, known_at, original_transaction_key ORDER BY purchase_at, expires_at, transaction_id
    )
  ) n
)
SELECT
  environment, bundle_id, original_transaction_id,
  original_transaction_id AS original_store_transaction_id, transaction_id AS store_transaction_id, renewal_number,
  product_id AS product_identifier, product_display_name, product_duration,
  storefront AS country, purchase_at AS start_at, expires_at AS end_at, grace_period_end_at,
  effective_end_at, is_auto_renewable, is_free AS is_trial_period, is_intro AS is_in_intro_offer_period,
  CASE WHEN is_payment = 1 AND was_free = 1 THEN 1 ELSE 0 END AS is_trial_conversion,
  CASE WHEN is_payment = 1 AND payments_before = 0 THEN 1 ELSE 0 END AS is_first_payment,
  is_payment, CASE WHEN environment = 'Production' THEN 0 ELSE 1 END AS is_sandbox, ownership_type, offer_type,
  offer_identifier AS offer, offer_discount_type, offer_period, currency AS purchased_currency,
  price_milliunits AS purchase_price_in_purchased_currency_milliunits,
  price_milliunits - COALESCE(refunded_milliunits, 0) AS price_in_purchased_currency_milliunits,
  refunded_milliunits, CASE WHEN refunded_at IS NOT NULL THEN COALESCE(revocation_percentage, 100000) END
    AS refunded_share,
  refunded_at, unsubscribe_detected_at, billing_issues_detected_at, billing_plan_type,
  commitment_billing_period_number, quantity, app_account_token, evidence_at AS updated_at,
  trial_start_at,
  previous_effective_end_at, previous_product_id AS previous_product_identifier, previous_offer_type,
  previous_offer_identifier AS previous_offer,
  CASE
    WHEN offer_type IS NULL THEN 0
    WHEN previous_offer_type = offer_type AND COALESCE(previous_offer_identifier, '') = COALESCE(offer_identifier, '')
    THEN 0
    ELSE 1
  END AS is_offer_start,
  is_paid_by_owner,
  o.as_of, o.known_at, o.original_transaction_key, o.transaction_key, version_id
FROM period o
JOIN numbered n
  ON n.as_of = o.as_of AND n.known_at = o.known_at AND n.original_transaction_key = o.original_transaction_key
  AND n.transaction_key = o.transaction_key;

CREATE VIEW metric_delta_of_payment AS
SELECT
  p.as_of, p.known_at, p.original_transaction_key, m.measure, p.environment, p.bundle_id, p.product_id, p.country,
  p.offer_type,
  p.offer_identifier,
  CASE WHEN m.journey = 'unbroken' THEN p.unbroken_number ELSE p.number END - CASE m.is_due WHEN 1 THEN 0 ELSE 1 END
    AS step,
  CASE WHEN m.journey = 'unbroken' THEN p.unbroken_first_at ELSE p.first_at END
    - CASE WHEN m.journey = 'unbroken' THEN p.unbroken_first_at ELSE p.first_at END % 86400000 AS day_at,
  CASE
    WHEN m.sign = -1 THEN p.refunded_at
    WHEN m.is_due = 0 THEN p.start_at
    WHEN p.refunded_at < p.end_at THEN p.refunded_at
    ELSE p.end_at
  END AS effective_at,
  m.sign AS amount
FROM (
  SELECT
    j.*,
    1 + payment - MAX(CASE WHEN is_new = 1 THEN payment END) OVER payments AS number,
    MAX(CASE WHEN is_new = 1 THEN start_at END) OVER payments AS first_at,
    1 + payment - MAX(CASE WHEN is_new = 1 OR previous_end_at < start_at THEN payment END) OVER payments
      AS unbroken_number,
    MAX(CASE WHEN is_new = 1 OR previous_end_at < start_at THEN start_at END) OVER payments AS unbroken_first_at
  FROM (
    SELECT
      as_of, known_at, original_transaction_key, environment, bundle_id, product_identifier AS product_id, country,
      offer_type,
      offer AS offer_identifier, start_at, end_at, refunded_at,
      previous_effective_end_at AS previous_end_at,
      ROW_NUMBER() OVER payments AS payment,
      CASE WHEN LAG(product_identifier) OVER payments = product_identifier THEN 0 ELSE 1 END AS is_new
    FROM transaction_fact
    WHERE is_payment = 1 AND is_in_intro_offer_period = 0 AND is_auto_renewable = 1
    WINDOW payments AS (PARTITION BY as_of, known_at, original_transaction_key ORDER BY renewal_number)
  ) j
  WINDOW payments AS (PARTITION BY as_of, known_at, original_transaction_key ORDER BY payment)
) p
CROSS JOIN (
  SELECT 'retained' AS measure, 'both' AS journey, 1 AS sign, 0 AS is_due
  UNION ALL SELECT 'retained', 'both', -1, 0 UNION ALL SELECT 'due', 'both', 1, 1
  UNION ALL SELECT 'retained_joined', 'joined', 1, 0 UNION ALL SELECT 'retained_joined', 'joined', -1, 0
  UNION ALL SELECT 'due_joined', 'joined', 1, 1
  UNION ALL SELECT 'retained_unbroken', 'unbroken', 1, 0 UNION ALL SELECT 'retained_unbroken', 'unbroken', -1, 0
  UNION ALL SELECT 'due_unbroken', 'unbroken', 1, 1
) m
WHERE (m.sign = 1 OR p.refunded_at IS NOT NULL)
  AND CASE WHEN m.journey = 'both' THEN 1 ELSE 0 END = CASE WHEN p.number = p.unbroken_number THEN 1 ELSE 0 END;

CREATE VIEW metric_delta_of_transaction AS
SELECT
  f.as_of, f.known_at, f.original_transaction_key, m.measure, f.environment, f.bundle_id,
  -- A conversion has the product and the offer of its trial.
  CASE m.measure WHEN 'trials_converted' THEN f.previous_product_identifier ELSE f.product_identifier END AS product_id,
  f.country,
  CASE WHEN m.is_money = 1 THEN f.purchased_currency END AS currency,
  CASE m.measure WHEN 'trials_converted' THEN f.previous_offer_type ELSE f.offer_type END AS offer_type,
  CASE m.measure WHEN 'trials_converted' THEN f.previous_offer ELSE f.offer END AS offer_identifier,
  CASE
    WHEN m.measure = 'offers_redeemed' THEN f.offer_discount_type
    WHEN m.measure IN ('trials_started', 'trials_converted') THEN NULL
    WHEN f.is_auto_renewable = 0 THEN 'one_time'
    WHEN f.is_first_payment = 1 THEN 'new'
    ELSE 'renewal'
  END AS reason,
  CASE m.day
    WHEN 'start' THEN f.start_at - f.start_at % 86400000
    WHEN 'refund' THEN f.refunded_at - f.refunded_at % 86400000
    ELSE f.trial_start_at - f.trial_start_at % 86400000
  END AS day_at,
  CASE m.since WHEN 'start' THEN f.start_at ELSE f.refunded_at END AS effective_at,
  CASE m.measure
    WHEN 'revenue_gross' THEN f.purchase_price_in_purchased_currency_milliunits
    WHEN 'revenue_refunded' THEN f.refunded_milliunits
    WHEN 'refunds_paid' THEN f.refunded_milliunits
    ELSE m.sign
  END AS amount
FROM transaction_fact f
CROSS JOIN (
  SELECT 'transactions_paid' AS measure, 'start' AS day, 'start' AS since, 1 AS sign, 0 AS is_money
  UNION ALL SELECT 'transactions_unpriced', 'start', 'start', 1, 0
  UNION ALL SELECT 'revenue_gross', 'start', 'start', 1, 1
  UNION ALL SELECT 'revenue_refunded', 'start', 'refund', 1, 1
  UNION ALL SELECT 'transactions_refunded', 'start', 'refund', 1, 0
  UNION ALL SELECT 'refunds_paid', 'refund', 'refund', 1, 1
  UNION ALL SELECT 'refunds', 'refund', 'refund', 1, 0
  UNION ALL SELECT 'trials_started', 'trial', 'start', 1, 0
  UNION ALL SELECT 'trials_converted', 'trial', 'start', 1, 0
  UNION ALL SELECT 'trials_converted', 'trial', 'refund', -1, 0
  UNION ALL SELECT 'offers_redeemed', 'start', 'start', 1, 0
) m
WHERE (m.since = 'start' OR f.refunded_at IS NOT NULL)
  AND CASE m.measure
    WHEN 'trials_started' THEN f.trial_start_at = f.start_at
    WHEN 'trials_converted' THEN f.is_trial_conversion = 1 AND f.trial_start_at IS NOT NULL
    WHEN 'offers_redeemed' THEN f.is_offer_start = 1 AND f.is_paid_by_owner = 1
    WHEN 'transactions_paid' THEN f.is_payment = 1
    WHEN 'transactions_unpriced'
      THEN f.is_payment = 1 AND f.purchase_price_in_purchased_currency_milliunits IS NULL
    WHEN 'revenue_gross' THEN f.is_payment = 1 AND f.purchase_price_in_purchased_currency_milliunits > 0
    WHEN 'revenue_refunded' THEN f.is_payment = 1 AND f.refunded_milliunits > 0
    WHEN 'refunds_paid' THEN f.is_payment = 1 AND f.refunded_milliunits > 0
    ELSE f.is_payment = 1
  END;

CREATE VIEW metric_delta_derived AS
SELECT
  as_of, known_at, original_transaction_key, measure, environment, bundle_id, product_id, country, currency, offer_type,
  offer_identifier, reason, CAST(NULL AS VARCHAR(64)) AS detail, step, own_months, own_days, stated_days, day_at,
  effective_at, amount
FROM metric_delta_of_phase
UNION ALL
SELECT
  as_of, known_at, original_transaction_key, measure, environment, bundle_id, product_id, country, currency, offer_type,
  offer_identifier, reason, NULL, NULL, NULL, NULL, NULL, day_at, effective_at, amount
FROM metric_delta_of_transaction
UNION ALL
SELECT
  as_of, known_at, original_transaction_key, measure, environment, bundle_id, product_id, country, NULL, offer_type,
  offer_identifier, NULL, NULL, step, NULL, NULL, NULL, day_at, effective_at, amount
FROM metric_delta_of_payment
UNION ALL
SELECT
  as_of, known_at, original_transaction_key, measure, environment, bundle_id, product_id, country, NULL, NULL, NULL,
  reason, detail, NULL,
  NULL, NULL, NULL, day_at, effective_at, amount
FROM metric_delta_of_notification;

CREATE VIEW metric_delta AS
SELECT
  k.as_of, k.known_at, s.measure, s.environment, s.bundle_id, s.product_id, s.country, s.currency, s.offer_type,
  s.offer_identifier, s.reason, s.detail, s.step, s.own_months, s.own_days, s.stated_days, k.day_at, k.amount
FROM (
  SELECT q.as_of, q.known_at, g.dimensions_id, p.day_at, SUM(p.amount) AS amount
  FROM param_query q
  CROSS JOIN projection_metric_dimensions g
  CROSS JOIN projection_metric_delta_sum p
  WHERE p.dimensions_id = g.dimensions_id AND p.effective_day < q.as_of / 86400000
    AND g.measure IN (
      SELECT m.measure FROM metric_measure m JOIN param_report r ON r.metric = m.metric OR r.metric IS NULL
    )
  GROUP BY q.as_of, q.known_at, g.dimensions_id, p.day_at
  UNION ALL
  SELECT q.as_of, q.known_at, p.dimensions_id, p.day_at, p.amount
  FROM param_query q
  CROSS JOIN projection_metric_delta p
  WHERE p.effective_at / 86400000 = q.as_of / 86400000 AND p.effective_at <= q.as_of
  UNION ALL
  SELECT a.as_of, a.known_at, p.dimensions_id, p.day_at, -p.amount
  FROM param_scope a
  CROSS JOIN projection_metric_delta p
  WHERE p.original_transaction_key = a.original_transaction_key AND p.effective_at <= a.as_of
) k
JOIN projection_metric_dimensions s ON s.dimensions_id = k.dimensions_id
WHERE s.measure IN (
  SELECT m.measure FROM metric_measure m JOIN param_report r ON r.metric = m.metric OR r.metric IS NULL
)
UNION ALL
SELECT
  as_of, known_at, measure, environment, bundle_id, product_id, country, currency, offer_type, offer_identifier, reason,
  detail, step, own_months, own_days, stated_days, day_at, amount
FROM metric_delta_derived
WHERE effective_at <= as_of
  AND measure IN (
    SELECT m.measure FROM metric_measure m JOIN param_report r ON r.metric = m.metric OR r.metric IS NULL
  );

CREATE VIEW metric_delta_by_day AS
SELECT
  as_of, known_at, measure, group_name, currency, step,
  CASE
    WHEN measure <> 'recurring' OR months IS NOT NULL THEN 1
    WHEN days <= 1 THEN 30
    WHEN days = 3 THEN 10
    WHEN days = 7 THEN 4
    WHEN days = 14 THEN 2
    WHEN days = 28 THEN 1
    ELSE 28
  END AS month_numerator,
  CASE WHEN measure <> 'recurring' OR days <= 1 OR days IN (3, 7, 14, 28) THEN 1 ELSE COALESCE(months,
    days) END AS month_denominator,
  day_at, SUM(amount) AS amount
FROM (
  SELECT
    p.as_of, p.known_at, p.measure, p.currency, p.step, p.day_at, p.amount,
    CASE r.dimension
      WHEN 'none' THEN 'all'
      WHEN 'product' THEN COALESCE(p.product_id, 'unknown')
      WHEN 'duration' THEN COALESCE(d.period, 'unknown')
      WHEN 'country' THEN COALESCE(p.country, 'unknown')
      WHEN 'offer' THEN COALESCE(p.offer_identifier, CASE p.offer_type WHEN 1 THEN 'introductory' END, 'none')
      WHEN 'offer_type'
        THEN CASE p.offer_type
          WHEN 1 THEN 'introductory' WHEN 2 THEN 'promotional' WHEN 3 THEN 'offer_code' WHEN 4 THEN 'win_back'
          ELSE CASE WHEN p.offer_type IS NULL THEN 'none' ELSE 'other' END
        END
      WHEN 'app' THEN COALESCE(p.bundle_id, 'unknown')
      WHEN 'reason' THEN COALESCE(p.reason, 'none')
      WHEN 'detail' THEN COALESCE(p.detail, 'none')
      ELSE 'all'
    END AS group_name,
    CASE
      WHEN COALESCE(p.own_months, p.own_days) IS NOT NULL THEN p.own_months
      WHEN d.period_months > 0 AND COALESCE(d.period_days, 0) = 0 THEN d.period_months
      WHEN COALESCE(d.period_months, 0) = 0 AND d.period_days > 0 THEN NULL
      WHEN p.stated_days BETWEEN 27 AND 33 THEN 1
      WHEN p.stated_days BETWEEN 58 AND 62 THEN 2
      WHEN p.stated_days BETWEEN 88 AND 95 THEN 3
      WHEN p.stated_days BETWEEN 179 AND 185 THEN 6
      WHEN p.stated_days BETWEEN 363 AND 375 THEN 12
    END AS months,
    CASE
      WHEN COALESCE(p.own_months, p.own_days) IS NOT NULL THEN p.own_days
      WHEN d.period_months > 0 AND COALESCE(d.period_days, 0) = 0 THEN NULL
      WHEN COALESCE(d.period_months, 0) = 0 AND d.period_days > 0 THEN d.period_days
      WHEN p.stated_days BETWEEN 6 AND 8 THEN 7
      WHEN p.stated_days BETWEEN 12 AND 16 THEN 14
      ELSE p.stated_days
    END AS days
  FROM metric_delta p
  CROSS JOIN param_report r
  LEFT JOIN int_catalogue_app c
    ON c.as_of = p.as_of AND c.known_at = p.known_at AND c.named = COALESCE(p.bundle_id, '')
  LEFT JOIN product d
    ON d.as_of = p.as_of AND d.known_at = p.known_at AND d.bundle_id = c.bundle_id AND d.product_id = p.product_id
  WHERE p.environment = r.environment AND (r.bundle_id IS NULL OR p.bundle_id = r.bundle_id)
) dimensioned
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
HAVING SUM(amount) <> 0;

CREATE VIEW metric_delta_by_period AS
SELECT
  as_of, known_at, measure, group_name, currency, step, month_numerator, month_denominator, period_number, rate_at,
  SUM(amount) AS amount
FROM (
  SELECT
    d.as_of, d.known_at, d.measure, d.group_name, d.currency, d.step, d.month_numerator, d.month_denominator,
    COALESCE(r.period_number, 0) AS period_number,
    CASE WHEN q.currency IS NOT NULL AND d.currency IS NOT NULL AND d.measure <> 'recurring' THEN d.day_at END
      AS rate_at,
    d.amount
  FROM metric_delta_by_day d
  CROSS JOIN param_report q
  CROSS JOIN (SELECT MIN(day_at) AS first_at FROM param_report_day) f
  LEFT JOIN param_report_day r ON r.day_at = d.day_at
  WHERE r.period_number IS NOT NULL OR d.day_at < f.first_at
) placed
GROUP BY
  as_of, known_at, measure, group_name, currency, step, month_numerator, month_denominator, period_number, rate_at;

CREATE VIEW metric_figure AS
WITH period_delta AS (SELECT * FROM metric_delta_by_period),
period AS (SELECT * FROM param_report_period),
balance_delta AS (
  SELECT p.*
  FROM period_delta p
  WHERE p.measure IN (SELECT m.measure FROM metric_measure m WHERE m.kind <> 'flow')
),
running AS (
  SELECT
    as_of, known_at, measure, group_name, currency, month_numerator, month_denominator, period_number,
    SUM(amount) OVER (
      PARTITION BY as_of, known_at, measure, group_name, currency, month_numerator, month_denominator
        ORDER BY period_number
    ) AS amount
  FROM (
    SELECT as_of, known_at, measure, group_name, currency, month_numerator, month_denominator, period_number,
      SUM(amount) AS amount
    FROM (
      SELECT
        c.as_of, c.known_at, c.measure, c.group_name, c.currency, c.month_numerator, c.month_denominator,
        n.period_number,
        CAST(0 AS BIGINT) AS amount
      FROM (SELECT DISTINCT as_of, known_at, measure, group_name, currency, month_numerator,
        month_denominator FROM balance_delta) c
      CROSS JOIN (SELECT period_number FROM period UNION ALL SELECT 0) n
      UNION ALL
      SELECT as_of, known_at, measure, group_name, currency, month_numerator, month_denominator, period_number,
        amount FROM balance_delta
    ) every_period
    GROUP BY as_of, known_at, measure, group_name, currency, month_numerator, month_denominator, period_number
  ) summed
),
monthly AS (
  SELECT
    b.as_of, b.known_at, b.measure, b.group_name, b.currency, b.period_number,
    CASE WHEN b.month_denominator = 1 THEN b.amount * b.month_numerator ELSE (2 * b.amount * b.month_numerator +
      b.month_denominator) / (2 * b.month_denominator) END AS amount
  FROM running b
),
unconverted AS (
  SELECT as_of, known_at, measure, 1 AS is_flow, group_name, currency, step, period_number, rate_at, amount
  FROM period_delta
  WHERE period_number > 0
  UNION ALL
  SELECT
    b.as_of, b.known_at, b.measure, 0, b.group_name, b.currency, NULL, b.period_number,
    CASE WHEN b.measure = 'recurring' THEN n.ends_at - 1 END, b.amount
  FROM monthly b
  LEFT JOIN period n ON n.period_number = b.period_number
),
-- The conversion of money: a payment at the rate of its day, and a balance at the rate of the period's last instant.
-- The order of the operations keeps every product within 64 bits. The result is rounded half up.
converted AS (
  SELECT
    u.as_of, u.known_at, u.measure, u.is_flow, u.group_name, COALESCE(x.into_currency, u.currency) AS currency, u.step,
    u.period_number,
    CASE
      WHEN x.rate_numerator IS NULL THEN u.amount
      ELSE u.amount / x.rate_denominator * x.rate_numerator
        + (u.amount % x.rate_denominator * x.rate_numerator + x.rate_denominator / 2) / x.rate_denominator
    END AS amount
  FROM unconverted u
  CROSS JOIN param_report q
  LEFT JOIN exchange_rate x
    ON x.known_at = u.known_at AND x.currency = u.currency AND x.into_currency = q.currency
    AND x.begins_at <= u.rate_at AND x.ends_at > u.rate_at
),
part AS (
  SELECT
    m.metric, m.part, c.as_of, c.known_at,
    CASE m.kind WHEN 'opening' THEN c.period_number + 1 ELSE c.period_number END AS period_number, c.group_name,
    c.currency,
    CASE WHEN m.metric IN ('recovery_days', 'retention', 'retention_unbroken') THEN c.step END AS step,
    m.factor * c.amount AS amount
  FROM converted c
  JOIN metric_measure m ON m.measure = c.measure
  WHERE m.kind = 'flow' AND c.is_flow = 1
    OR m.kind <> 'flow' AND c.is_flow = 0 AND (m.kind = 'opening' OR c.period_number > 0)
)
SELECT
  f.metric, f.period_number, n.begins_at, n.ends_at, CASE WHEN n.ends_at <= f.as_of THEN 1 ELSE 0 END AS is_complete,
  f.group_name, f.currency, f.step, SUM(CASE WHEN f.part = 'amount' THEN f.amount ELSE 0 END) AS amount,
  SUM(CASE WHEN f.part = 'of' THEN f.amount END) AS of_amount, f.as_of, f.known_at
FROM part f
JOIN period n ON n.period_number = f.period_number
CROSS JOIN param_report r
WHERE (r.metric IS NULL OR f.metric = r.metric) AND n.begins_at <= f.as_of
GROUP BY
  f.metric, f.period_number, n.begins_at, n.ends_at, f.group_name, f.currency, f.step, f.as_of, f.known_at;

CREATE VIEW transaction_info_value AS
SELECT transaction_info_id, 't' AS letter, transaction_id AS value FROM transaction_info
UNION ALL
SELECT w.transaction_info_id, 'o', o.original_transaction_id
FROM transaction_info w JOIN original_transaction o ON o.original_transaction_key = w.original_transaction_key
UNION ALL
SELECT transaction_info_id, 'p', CAST(purchase_at AS TEXT) FROM transaction_info
UNION ALL
SELECT transaction_info_id, 'q', CAST(original_purchase_at AS TEXT) FROM transaction_info
UNION ALL
SELECT transaction_info_id, 'e', CAST(expires_at AS TEXT) FROM transaction_info
UNION ALL
SELECT transaction_info_id, 'r', CAST(revoked_at AS TEXT) FROM transaction_info
UNION ALL
SELECT transaction_info_id, 'w', web_order_line_item_id FROM transaction_info
UNION ALL
SELECT transaction_info_id, 'a', app_account_token FROM transaction_info
UNION ALL
SELECT transaction_info_id, 'x', app_transaction_id FROM transaction_info;

CREATE VIEW transaction_info_text AS
SELECT
  w.transaction_info_id,
  lower(hex(w.digest)) AS digest,
  CASE
    WHEN w.form_id IS NULL THEN w.source
    ELSE (
      -- A step writes the value of one place and the text of the form behind it, and reads the value of the next place.
      -- `letter` and `value` are of the place; of G and P, `value` is the value before. `words` is the text behind a
      -- place G, which waits for the next value. `form` and `vals` are what is left.
      WITH RECURSIVE filled (text, letter, value, words, form, vals) AS (
        SELECT '', '', '', NULL, f.text || char(31), w.source || char(31)
        UNION ALL
        SELECT
          CASE letter
            WHEN 'G' THEN text
            WHEN 'P' THEN
              text || strftime(
                '%Y-%m-%d %H:%M:%S',
                substr(value, 1, 10) - CASE
                  WHEN substr(value, 1, 10) + 0 BETWEEN
                    strftime('%s', strftime('%Y', substr(value, 1, 10), 'unixepoch') || '-03-08', 'weekday 0') + 36000
                    AND strftime('%s', strftime('%Y', substr(value, 1, 10), 'unixepoch') || '-11-01', 'weekday 0') + 32399
                    THEN 25200
                  ELSE 28800
                END, 'unixepoch'
              ) || ' America/Los_Angeles' || substr(form, 1, instr(form, char(31)) - 1)
            ELSE
              text || COALESCE(
                strftime('%Y-%m-%d %H:%M:%S', substr(value, 1, 10), 'unixepoch') || ' Etc/GMT' || words, ''
              ) || value || substr(form, 1, instr(form, char(31)) - 1)
          END,
          CASE
            WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[A-Za-z]'
              THEN substr(form, instr(form, char(31)) + 1, 1)
            ELSE ''
          END,
          CASE
            WHEN substr(form, instr(form, char(31)) + 1, 1) IN ('G', 'P') THEN value
            WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[a-z]'
              THEN (
                SELECT v.value FROM transaction_info_value v
                WHERE v.transaction_info_id = w.transaction_info_id
                  AND v.letter = substr(form, instr(form, char(31)) + 1, 1)
              )
            ELSE substr(vals, 1, instr(vals, char(31)) - 1)
          END,
          CASE WHEN letter = 'G' THEN substr(form, 1, instr(form, char(31)) - 1) END,
          substr(
            form, instr(form, char(31))
              + CASE WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[A-Za-z]' THEN 2 ELSE 1 END
          ),
          CASE
            WHEN substr(form, instr(form, char(31)) + 1, 1) GLOB '[A-Za-z]' THEN vals
            ELSE substr(vals, instr(vals, char(31)) + 1)
          END
        FROM filled WHERE form <> ''
      )
      SELECT text FROM filled WHERE form = ''
    )
  END AS source
FROM transaction_info w LEFT JOIN text_form f ON f.form_id = w.form_id;

CREATE VIEW signed_transaction_info_text AS
SELECT
  w.transaction_info_id,
  h.text || '.' || (
    WITH RECURSIVE coded (part, data, byte_offset) AS (
      SELECT 1, CAST(t.source AS BLOB), 1
      UNION ALL
      SELECT 2, w.signature, 1
      UNION ALL
      SELECT part, data, byte_offset + 3 FROM coded WHERE byte_offset + 3 <= length(data)
    ),
    hexed (part, byte_offset, byte_count, digits) AS MATERIALIZED (
      SELECT part, byte_offset, min(length(data) - byte_offset + 1, 3), hex(substr(data, byte_offset,
        3)) || '0000' FROM coded
    ),
    digit (part, byte_offset, byte_count, d1, d2, d3, d4, d5, d6) AS MATERIALIZED (
      SELECT
        part, byte_offset, byte_count,
        instr('123456789ABCDEF', substr(digits, 1, 1)), instr('123456789ABCDEF', substr(digits, 2, 1)),
        instr('123456789ABCDEF', substr(digits, 3, 1)), instr('123456789ABCDEF', substr(digits, 4, 1)),
        instr('123456789ABCDEF', substr(digits, 5, 1)), instr('123456789ABCDEF', substr(digits, 6, 1))
      FROM hexed
    ),
    letter (part, byte_offset, text) AS (
      SELECT
        d.part, d.byte_offset,
        substr(
          substr(a.letters, d1 * 4 + d2 / 4 + 1, 1) || substr(a.letters, d2 % 4 * 16 + d3 + 1, 1)
            || substr(a.letters, d4 * 4 + d5 / 4 + 1, 1) || substr(a.letters, d5 % 4 * 16 + d6 + 1, 1),
          1, byte_count + 1)
      FROM digit d
      CROSS JOIN (SELECT 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_' AS letters) a
      UNION ALL
      SELECT 2, 0, '.'
    )
    SELECT
      group_concat(text, '') OVER (ORDER BY part, byte_offset ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    FROM letter
    LIMIT 1
  ) AS source
FROM transaction_info w
JOIN jws_header h ON h.header_id = w.header_id
JOIN transaction_info_text t ON t.transaction_info_id = w.transaction_info_id;

CREATE VIEW payload_own_text AS
SELECT
  w.payload_id, w.digest,
  CASE
    WHEN p.layout IS NULL THEN w.source
    ELSE (
      WITH RECURSIVE word (ordinal, kind, byte_offset, byte_count, t_id, r_id, a_id, rest) AS (
        SELECT 0, '', 1, 0, 0, 0, 0, p.layout || ' '
        UNION ALL
        SELECT
          ordinal + 1, substr(rest, 1, 1), byte_offset + byte_count, CAST(substr(rest, 2) AS INTEGER),
          t_id + CASE substr(rest, 1, 1) WHEN 't' THEN CAST(substr(rest, instr(rest, ',') + 1) AS INTEGER) ELSE 0 END,
          r_id + CASE substr(rest, 1, 1) WHEN 'r' THEN CAST(substr(rest, instr(rest, ',') + 1) AS INTEGER) ELSE 0 END,
          a_id + CASE substr(rest, 1, 1) WHEN 'a' THEN CAST(substr(rest, instr(rest, ',') + 1) AS INTEGER) ELSE 0 END,
          substr(rest, instr(rest, ' ') + 1)
        FROM word
        WHERE rest <> ''
      )
      SELECT
        group_concat(piece, '') OVER (ORDER BY ordinal ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
      FROM (
        SELECT
          ordinal,
          -- (Of an empty text SQLite's substr is NULL.)
          COALESCE(CAST(substr(CAST(w.source AS BLOB), byte_offset, byte_count) AS TEXT), '') || COALESCE(
            CASE kind
              WHEN 't' THEN COALESCE(
                (SELECT x.source FROM signed_transaction_info_text x WHERE x.transaction_info_id = t_id),
                (SELECT x.source FROM transaction_info_text x WHERE x.transaction_info_id = t_id)
              )
              WHEN 'r' THEN COALESCE(
                (SELECT x.source FROM signed_renewal_info_text x WHERE x.renewal_info_id = r_id),
                (SELECT x.source FROM renewal_info_text x WHERE x.renewal_info_id = r_id)
              )
              WHEN 'a' THEN COALESCE(
                (SELECT x.source FROM signed_app_transaction_info_text x WHERE x.app_transaction_info_id = a_id),
                (SELECT x.source FROM app_transaction_info_text x WHERE x.app_transaction_info_id = a_id)
              )
            END, ''
          ) AS piece
        FROM word
        UNION ALL
        SELECT
          9223372036854775807,
          COALESCE(CAST(substr(CAST(w.source AS BLOB), MAX(byte_offset + byte_count)) AS TEXT), '')
        FROM word
      ) pieces
      LIMIT 1
    )
  END AS source
FROM payload_rest_text w
JOIN payload p ON p.payload_id = w.payload_id;

CREATE VIEW signed_payload_text AS
SELECT
  w.payload_id,
  h.text || '.' || (
    WITH RECURSIVE coded (part, data, byte_offset) AS (
      SELECT 1, CAST(t.source AS BLOB), 1
      UNION ALL
      SELECT 2, w.signature, 1
      UNION ALL
      SELECT part, data, byte_offset + 3 FROM coded WHERE byte_offset + 3 <= length(data)
    ),
    hexed (part, byte_offset, byte_count, digits) AS MATERIALIZED (
      SELECT part, byte_offset, min(length(data) - byte_offset + 1, 3), hex(substr(data, byte_offset,
        3)) || '0000' FROM coded
    ),
    digit (part, byte_offset, byte_count, d1, d2, d3, d4, d5, d6) AS MATERIALIZED (
      SELECT
        part, byte_offset, byte_count,
        instr('123456789ABCDEF', substr(digits, 1, 1)), instr('123456789ABCDEF', substr(digits, 2, 1)),
        instr('123456789ABCDEF', substr(digits, 3, 1)), instr('123456789ABCDEF', substr(digits, 4, 1)),
        instr('123456789ABCDEF', substr(digits, 5, 1)), instr('123456789ABCDEF', substr(digits, 6, 1))
      FROM hexed
    ),
    letter (part, byte_offset, text) AS (
      SELECT
        d.part, d.byte_offset,
        substr(
          substr(a.letters, d1 * 4 + d2 / 4 + 1, 1) || substr(a.letters, d2 % 4 * 16 + d3 + 1, 1)
            || substr(a.letters, d4 * 4 + d5 / 4 + 1, 1) || substr(a.letters, d5 % 4 * 16 + d6 + 1, 1),
          1, byte_count + 1)
      FROM digit d
      CROSS JOIN (SELECT 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_' AS letters) a
      UNION ALL
      SELECT 2, 0, '.'
    )
    SELECT
      group_concat(text, '') OVER (ORDER BY part, byte_offset ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    FROM letter
    LIMIT 1
  ) AS source
FROM payload w
JOIN jws_header h ON h.header_id = w.header_id
JOIN payload_own_text t ON t.payload_id = w.payload_id;

CREATE VIEW payload_text AS
SELECT
  w.payload_id, w.digest,
  CASE
    WHEN NOT EXISTS (SELECT 1 FROM payload p WHERE p.payload_id = w.payload_id AND substr(p.layout, 1, 1) = 'p')
      THEN w.source
    ELSE (
      WITH RECURSIVE word (ordinal, byte_offset, byte_count, part_id, rest) AS (
        SELECT 0, 1, 0, 0, p.layout || ' ' FROM payload p WHERE p.payload_id = w.payload_id
        UNION ALL
        SELECT
          ordinal + 1, byte_offset + byte_count, CAST(substr(rest, 2) AS INTEGER),
          part_id + CAST(substr(rest, instr(rest, ',') + 1) AS INTEGER), substr(rest, instr(rest, ' ') + 1)
        FROM word
        WHERE rest <> ''
      )
      SELECT
        group_concat(piece, '') OVER (ORDER BY ordinal ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
      FROM (
        SELECT
          ordinal,
          -- (Of an empty text SQLite's substr is NULL.)
          COALESCE(CAST(substr(CAST(w.source AS BLOB), byte_offset, byte_count) AS TEXT), '') || COALESCE(
            (SELECT x.source FROM signed_payload_text x WHERE x.payload_id = part_id),
            (SELECT x.source FROM payload_own_text x WHERE x.payload_id = part_id), ''
          ) AS piece
        FROM word
        UNION ALL
        SELECT
          9223372036854775807,
          COALESCE(CAST(substr(CAST(w.source AS BLOB), MAX(byte_offset + byte_count)) AS TEXT), '')
        FROM word
      ) pieces
      LIMIT 1
    )
  END AS source
FROM payload_own_text w;

CREATE TRIGGER original_transaction_identifier_becomes_target AFTER INSERT ON original_transaction_identifier
BEGIN
  INSERT INTO customer_link_target
  SELECT e.entry_id, NEW.original_transaction_key FROM customer_link_entry e
  WHERE e.identifier = NEW.identifier AND NOT EXISTS (
    SELECT 1 FROM customer_link_target x
    WHERE x.entry_id = e.entry_id AND x.original_transaction_key = NEW.original_transaction_key
  );
END;

CREATE TRIGGER notification_becomes_target AFTER INSERT ON notification
WHEN NEW.notification_uuid IS NOT NULL AND NEW.original_transaction_key IS NOT NULL
BEGIN
  INSERT INTO customer_link_target
  SELECT e.entry_id, NEW.original_transaction_key FROM customer_link_entry e
  WHERE e.identifier = NEW.notification_uuid AND NOT EXISTS (
    SELECT 1 FROM customer_link_target x
    WHERE x.entry_id = e.entry_id AND x.original_transaction_key = NEW.original_transaction_key
  );
END;

CREATE TRIGGER transaction_info_becomes_target AFTER INSERT ON transaction_info
BEGIN
  INSERT INTO customer_link_target
  SELECT DISTINCT e.entry_id, NEW.original_transaction_key FROM customer_link_entry e
  WHERE e.identifier IN (
    NEW.transaction_id, NEW.web_order_line_item_id,
    (
      SELECT o.original_transaction_id FROM original_transaction o
      WHERE o.original_transaction_key = NEW.original_transaction_key
    )
  ) AND NOT EXISTS (
    SELECT 1 FROM customer_link_target x
    WHERE x.entry_id = e.entry_id AND x.original_transaction_key = NEW.original_transaction_key
  );
END;

CREATE TRIGGER customer_link_entry_finds_targets AFTER INSERT ON customer_link_entry
BEGIN
  INSERT INTO customer_link_target
  SELECT NEW.entry_id, n.original_transaction_key
  FROM (
    SELECT o.original_transaction_key FROM original_transaction o
    WHERE o.original_transaction_id = NEW.identifier AND EXISTS (
      SELECT 1 FROM transaction_info t
      WHERE t.original_transaction_key = o.original_transaction_key AND t.transaction_info_id = t.transaction_key
    )
    UNION SELECT original_transaction_key FROM transaction_info WHERE transaction_id = NEW.identifier
    UNION SELECT original_transaction_key FROM original_transaction_identifier WHERE identifier = NEW.identifier
    UNION SELECT original_transaction_key FROM notification
    WHERE notification_uuid = NEW.identifier AND original_transaction_key IS NOT NULL
    UNION SELECT original_transaction_key FROM transaction_info WHERE web_order_line_item_id = NEW.identifier
  ) n
  WHERE NOT EXISTS (
    SELECT 1 FROM customer_link_target x
    WHERE x.entry_id = NEW.entry_id AND x.original_transaction_key = n.original_transaction_key
  );
END;

CREATE TRIGGER payload_refuses_update BEFORE UPDATE ON payload
BEGIN SELECT RAISE(ABORT, 'payload is append-only: a row is never changed'); END;

CREATE TRIGGER payload_refuses_delete BEFORE DELETE ON payload
BEGIN SELECT RAISE(ABORT, 'payload is append-only: a row is never deleted'); END;

CREATE TRIGGER payload_refuses_replacement BEFORE INSERT ON payload
WHEN (NEW.payload_id <> -1 AND EXISTS (SELECT 1 FROM payload WHERE payload_id = NEW.payload_id))
  OR EXISTS (SELECT 1 FROM payload WHERE digest = NEW.digest)
BEGIN SELECT RAISE(FAIL, 'payload is append-only: a row is never replaced'); END;

CREATE TRIGGER delivery_refuses_update BEFORE UPDATE ON delivery
BEGIN SELECT RAISE(ABORT, 'delivery is append-only: a row is never changed'); END;

CREATE TRIGGER delivery_refuses_delete BEFORE DELETE ON delivery
BEGIN SELECT RAISE(ABORT, 'delivery is append-only: a row is never deleted'); END;

CREATE TRIGGER delivery_refuses_replacement BEFORE INSERT ON delivery
WHEN EXISTS (SELECT 1 FROM delivery WHERE payload_id = NEW.payload_id AND received_at = NEW.received_at AND is_explicit = NEW.is_explicit)
BEGIN SELECT RAISE(FAIL, 'delivery is append-only: a row is never replaced'); END;

CREATE TRIGGER root_certificate_refuses_update BEFORE UPDATE ON root_certificate
BEGIN SELECT RAISE(ABORT, 'root_certificate is append-only: a row is never changed'); END;

CREATE TRIGGER root_certificate_refuses_delete BEFORE DELETE ON root_certificate
BEGIN SELECT RAISE(ABORT, 'root_certificate is append-only: a row is never deleted'); END;

CREATE TRIGGER root_certificate_refuses_replacement BEFORE INSERT ON root_certificate
WHEN (NEW.root_id <> -1 AND EXISTS (SELECT 1 FROM root_certificate WHERE root_id = NEW.root_id))
  OR EXISTS (SELECT 1 FROM root_certificate WHERE digest = NEW.digest)
BEGIN SELECT RAISE(FAIL, 'root_certificate is append-only: a row is never replaced'); END;

CREATE TRIGGER origin_refuses_update BEFORE UPDATE ON origin
BEGIN SELECT RAISE(ABORT, 'origin is append-only: a row is never changed'); END;

CREATE TRIGGER origin_refuses_delete BEFORE DELETE ON origin
BEGIN SELECT RAISE(ABORT, 'origin is append-only: a row is never deleted'); END;

CREATE TRIGGER origin_refuses_replacement BEFORE INSERT ON origin
WHEN (NEW.origin_id <> -1 AND EXISTS (SELECT 1 FROM origin WHERE origin_id = NEW.origin_id))
  OR EXISTS (SELECT 1 FROM origin WHERE name = NEW.name)
BEGIN SELECT RAISE(FAIL, 'origin is append-only: a row is never replaced'); END;

CREATE TRIGGER payload_part_refuses_update BEFORE UPDATE ON payload_part
BEGIN SELECT RAISE(ABORT, 'payload_part is append-only: a row is never changed'); END;

CREATE TRIGGER payload_part_refuses_delete BEFORE DELETE ON payload_part
BEGIN SELECT RAISE(ABORT, 'payload_part is append-only: a row is never deleted'); END;

CREATE TRIGGER payload_part_refuses_replacement BEFORE INSERT ON payload_part
WHEN EXISTS (SELECT 1 FROM payload_part WHERE part_id = NEW.part_id AND payload_id = NEW.payload_id)
BEGIN SELECT RAISE(FAIL, 'payload_part is append-only: a row is never replaced'); END;

CREATE TRIGGER problem_refuses_update BEFORE UPDATE ON problem
BEGIN SELECT RAISE(ABORT, 'problem is append-only: a row is never changed'); END;

CREATE TRIGGER problem_refuses_delete BEFORE DELETE ON problem
BEGIN SELECT RAISE(ABORT, 'problem is append-only: a row is never deleted'); END;

CREATE TRIGGER problem_refuses_replacement BEFORE INSERT ON problem
WHEN EXISTS (SELECT 1 FROM problem WHERE payload_id = NEW.payload_id AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(FAIL, 'problem is append-only: a row is never replaced'); END;

CREATE TRIGGER receipt_data_refuses_update BEFORE UPDATE ON receipt_data
BEGIN SELECT RAISE(ABORT, 'receipt_data is append-only: a row is never changed'); END;

CREATE TRIGGER receipt_data_refuses_delete BEFORE DELETE ON receipt_data
BEGIN SELECT RAISE(ABORT, 'receipt_data is append-only: a row is never deleted'); END;

CREATE TRIGGER receipt_data_refuses_replacement BEFORE INSERT ON receipt_data
WHEN EXISTS (SELECT 1 FROM receipt_data WHERE digest = NEW.digest)
BEGIN SELECT RAISE(FAIL, 'receipt_data is append-only: a row is never replaced'); END;

CREATE TRIGGER quarantine_refuses_update BEFORE UPDATE ON quarantine
BEGIN SELECT RAISE(ABORT, 'quarantine is append-only: a row is never changed'); END;

CREATE TRIGGER quarantine_refuses_delete BEFORE DELETE ON quarantine
BEGIN SELECT RAISE(ABORT, 'quarantine is append-only: a row is never deleted'); END;

CREATE TRIGGER quarantine_refuses_replacement BEFORE INSERT ON quarantine
WHEN (NEW.quarantine_id <> -1 AND EXISTS (SELECT 1 FROM quarantine WHERE quarantine_id = NEW.quarantine_id))
  OR EXISTS (SELECT 1 FROM quarantine WHERE digest = NEW.digest)
BEGIN SELECT RAISE(FAIL, 'quarantine is append-only: a row is never replaced'); END;

CREATE TRIGGER quarantine_bytes_refuses_update BEFORE UPDATE ON quarantine_bytes
BEGIN SELECT RAISE(ABORT, 'quarantine_bytes is append-only: a row is never changed'); END;

CREATE TRIGGER quarantine_bytes_refuses_delete BEFORE DELETE ON quarantine_bytes
BEGIN SELECT RAISE(ABORT, 'quarantine_bytes is append-only: a row is never deleted'); END;

CREATE TRIGGER quarantine_bytes_refuses_replacement BEFORE INSERT ON quarantine_bytes
WHEN EXISTS (SELECT 1 FROM quarantine_bytes WHERE quarantine_id = NEW.quarantine_id AND ordinal = NEW.ordinal)
  OR (NEW.rowid <> -1 AND EXISTS (SELECT 1 FROM quarantine_bytes WHERE rowid = NEW.rowid))
BEGIN SELECT RAISE(FAIL, 'quarantine_bytes is append-only: a row is never replaced'); END;

CREATE TRIGGER quarantine_release_refuses_update BEFORE UPDATE ON quarantine_release
BEGIN SELECT RAISE(ABORT, 'quarantine_release is append-only: a row is never changed'); END;

CREATE TRIGGER quarantine_release_refuses_delete BEFORE DELETE ON quarantine_release
BEGIN SELECT RAISE(ABORT, 'quarantine_release is append-only: a row is never deleted'); END;

CREATE TRIGGER quarantine_release_refuses_replacement BEFORE INSERT ON quarantine_release
WHEN (NEW.quarantine_id <> -1 AND EXISTS (SELECT 1 FROM quarantine_release WHERE quarantine_id = NEW.quarantine_id))
BEGIN SELECT RAISE(FAIL, 'quarantine_release is append-only: a row is never replaced'); END;

CREATE TRIGGER payload_mention_refuses_update BEFORE UPDATE ON payload_mention
BEGIN SELECT RAISE(ABORT, 'payload_mention is append-only: a row is never changed'); END;

CREATE TRIGGER payload_mention_refuses_delete BEFORE DELETE ON payload_mention
BEGIN SELECT RAISE(ABORT, 'payload_mention is append-only: a row is never deleted'); END;

CREATE TRIGGER payload_mention_refuses_replacement BEFORE INSERT ON payload_mention
WHEN EXISTS (SELECT 1 FROM payload_mention WHERE identifier = NEW.identifier AND kind = NEW.kind AND payload_id = NEW.payload_id)
BEGIN SELECT RAISE(FAIL, 'payload_mention is append-only: a row is never replaced'); END;

CREATE TRIGGER quarantine_mention_refuses_update BEFORE UPDATE ON quarantine_mention
BEGIN SELECT RAISE(ABORT, 'quarantine_mention is append-only: a row is never changed'); END;

CREATE TRIGGER quarantine_mention_refuses_delete BEFORE DELETE ON quarantine_mention
BEGIN SELECT RAISE(ABORT, 'quarantine_mention is append-only: a row is never deleted'); END;

CREATE TRIGGER quarantine_mention_refuses_replacement BEFORE INSERT ON quarantine_mention
WHEN EXISTS (SELECT 1 FROM quarantine_mention WHERE identifier = NEW.identifier AND kind = NEW.kind AND quarantine_id = NEW.quarantine_id)
BEGIN SELECT RAISE(FAIL, 'quarantine_mention is append-only: a row is never replaced'); END;

CREATE TRIGGER original_transaction_refuses_update BEFORE UPDATE ON original_transaction
BEGIN SELECT RAISE(ABORT, 'original_transaction is append-only: a row is never changed'); END;

CREATE TRIGGER original_transaction_refuses_delete BEFORE DELETE ON original_transaction
BEGIN SELECT RAISE(ABORT, 'original_transaction is append-only: a row is never deleted'); END;

CREATE TRIGGER original_transaction_refuses_replacement BEFORE INSERT ON original_transaction
WHEN (NEW.original_transaction_key <> -1 AND EXISTS (SELECT 1 FROM original_transaction WHERE original_transaction_key = NEW.original_transaction_key))
  OR EXISTS (SELECT 1 FROM original_transaction WHERE original_transaction_id = NEW.original_transaction_id AND environment = NEW.environment)
BEGIN SELECT RAISE(FAIL, 'original_transaction is append-only: a row is never replaced'); END;

CREATE TRIGGER transaction_info_refuses_update BEFORE UPDATE ON transaction_info
BEGIN SELECT RAISE(ABORT, 'transaction_info is append-only: a row is never changed'); END;

CREATE TRIGGER transaction_info_refuses_delete BEFORE DELETE ON transaction_info
BEGIN SELECT RAISE(ABORT, 'transaction_info is append-only: a row is never deleted'); END;

CREATE TRIGGER transaction_info_refuses_replacement BEFORE INSERT ON transaction_info
WHEN (NEW.transaction_info_id <> -1 AND EXISTS (SELECT 1 FROM transaction_info WHERE transaction_info_id = NEW.transaction_info_id))
BEGIN SELECT RAISE(FAIL, 'transaction_info is append-only: a row is never replaced'); END;

CREATE TRIGGER renewal_info_refuses_update BEFORE UPDATE ON renewal_info
BEGIN SELECT RAISE(ABORT, 'renewal_info is append-only: a row is never changed'); END;

CREATE TRIGGER renewal_info_refuses_delete BEFORE DELETE ON renewal_info
BEGIN SELECT RAISE(ABORT, 'renewal_info is append-only: a row is never deleted'); END;

CREATE TRIGGER renewal_info_refuses_replacement BEFORE INSERT ON renewal_info
WHEN (NEW.renewal_info_id <> -1 AND EXISTS (SELECT 1 FROM renewal_info WHERE renewal_info_id = NEW.renewal_info_id))
BEGIN SELECT RAISE(FAIL, 'renewal_info is append-only: a row is never replaced'); END;

CREATE TRIGGER transaction_version_refuses_update BEFORE UPDATE ON transaction_version
BEGIN SELECT RAISE(ABORT, 'transaction_version is append-only: a row is never changed'); END;

CREATE TRIGGER transaction_version_refuses_delete BEFORE DELETE ON transaction_version
BEGIN SELECT RAISE(ABORT, 'transaction_version is append-only: a row is never deleted'); END;

CREATE TRIGGER transaction_version_refuses_replacement BEFORE INSERT ON transaction_version
WHEN (NEW.version_id <> -1 AND EXISTS (SELECT 1 FROM transaction_version WHERE version_id = NEW.version_id))
BEGIN SELECT RAISE(FAIL, 'transaction_version is append-only: a row is never replaced'); END;

CREATE TRIGGER renewal_info_version_refuses_update BEFORE UPDATE ON renewal_info_version
BEGIN SELECT RAISE(ABORT, 'renewal_info_version is append-only: a row is never changed'); END;

CREATE TRIGGER renewal_info_version_refuses_delete BEFORE DELETE ON renewal_info_version
BEGIN SELECT RAISE(ABORT, 'renewal_info_version is append-only: a row is never deleted'); END;

CREATE TRIGGER renewal_info_version_refuses_replacement BEFORE INSERT ON renewal_info_version
WHEN (NEW.version_id <> -1 AND EXISTS (SELECT 1 FROM renewal_info_version WHERE version_id = NEW.version_id))
BEGIN SELECT RAISE(FAIL, 'renewal_info_version is append-only: a row is never replaced'); END;

CREATE TRIGGER status_claim_refuses_update BEFORE UPDATE ON status_claim
BEGIN SELECT RAISE(ABORT, 'status_claim is append-only: a row is never changed'); END;

CREATE TRIGGER status_claim_refuses_delete BEFORE DELETE ON status_claim
BEGIN SELECT RAISE(ABORT, 'status_claim is append-only: a row is never deleted'); END;

CREATE TRIGGER status_claim_refuses_replacement BEFORE INSERT ON status_claim
WHEN (NEW.claim_id <> -1 AND EXISTS (SELECT 1 FROM status_claim WHERE claim_id = NEW.claim_id))
BEGIN SELECT RAISE(FAIL, 'status_claim is append-only: a row is never replaced'); END;

CREATE TRIGGER notification_refuses_update BEFORE UPDATE ON notification
BEGIN SELECT RAISE(ABORT, 'notification is append-only: a row is never changed'); END;

CREATE TRIGGER notification_refuses_delete BEFORE DELETE ON notification
BEGIN SELECT RAISE(ABORT, 'notification is append-only: a row is never deleted'); END;

CREATE TRIGGER notification_refuses_replacement BEFORE INSERT ON notification
WHEN (NEW.payload_id <> -1 AND EXISTS (SELECT 1 FROM notification WHERE payload_id = NEW.payload_id))
BEGIN SELECT RAISE(FAIL, 'notification is append-only: a row is never replaced'); END;

CREATE TRIGGER app_transaction_info_refuses_update BEFORE UPDATE ON app_transaction_info
BEGIN SELECT RAISE(ABORT, 'app_transaction_info is append-only: a row is never changed'); END;

CREATE TRIGGER app_transaction_info_refuses_delete BEFORE DELETE ON app_transaction_info
BEGIN SELECT RAISE(ABORT, 'app_transaction_info is append-only: a row is never deleted'); END;

CREATE TRIGGER app_transaction_info_refuses_replacement BEFORE INSERT ON app_transaction_info
WHEN (NEW.app_transaction_info_id <> -1 AND EXISTS (SELECT 1 FROM app_transaction_info WHERE app_transaction_info_id = NEW.app_transaction_info_id))
  OR EXISTS (SELECT 1 FROM app_transaction_info WHERE digest = NEW.digest)
BEGIN SELECT RAISE(FAIL, 'app_transaction_info is append-only: a row is never replaced'); END;

CREATE TRIGGER app_transaction_version_refuses_update BEFORE UPDATE ON app_transaction_version
BEGIN SELECT RAISE(ABORT, 'app_transaction_version is append-only: a row is never changed'); END;

CREATE TRIGGER app_transaction_version_refuses_delete BEFORE DELETE ON app_transaction_version
BEGIN SELECT RAISE(ABORT, 'app_transaction_version is append-only: a row is never deleted'); END;

CREATE TRIGGER app_transaction_version_refuses_replacement BEFORE INSERT ON app_transaction_version
WHEN (NEW.version_id <> -1 AND EXISTS (SELECT 1 FROM app_transaction_version WHERE version_id = NEW.version_id))
BEGIN SELECT RAISE(FAIL, 'app_transaction_version is append-only: a row is never replaced'); END;

CREATE TRIGGER order_lookup_refuses_update BEFORE UPDATE ON order_lookup
BEGIN SELECT RAISE(ABORT, 'order_lookup is append-only: a row is never changed'); END;

CREATE TRIGGER order_lookup_refuses_delete BEFORE DELETE ON order_lookup
BEGIN SELECT RAISE(ABORT, 'order_lookup is append-only: a row is never deleted'); END;

CREATE TRIGGER order_lookup_refuses_replacement BEFORE INSERT ON order_lookup
WHEN EXISTS (SELECT 1 FROM order_lookup WHERE order_id = NEW.order_id AND payload_id = NEW.payload_id)
BEGIN SELECT RAISE(FAIL, 'order_lookup is append-only: a row is never replaced'); END;

CREATE TRIGGER send_attempt_refuses_update BEFORE UPDATE ON send_attempt
BEGIN SELECT RAISE(ABORT, 'send_attempt is append-only: a row is never changed'); END;

CREATE TRIGGER send_attempt_refuses_delete BEFORE DELETE ON send_attempt
BEGIN SELECT RAISE(ABORT, 'send_attempt is append-only: a row is never deleted'); END;

CREATE TRIGGER send_attempt_refuses_replacement BEFORE INSERT ON send_attempt
WHEN EXISTS (SELECT 1 FROM send_attempt WHERE payload_id = NEW.payload_id AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(FAIL, 'send_attempt is append-only: a row is never replaced'); END;

CREATE TRIGGER exchange_rate_entry_refuses_update BEFORE UPDATE ON exchange_rate_entry
BEGIN SELECT RAISE(ABORT, 'exchange_rate_entry is append-only: a row is never changed'); END;

CREATE TRIGGER exchange_rate_entry_refuses_delete BEFORE DELETE ON exchange_rate_entry
BEGIN SELECT RAISE(ABORT, 'exchange_rate_entry is append-only: a row is never deleted'); END;

CREATE TRIGGER exchange_rate_entry_refuses_replacement BEFORE INSERT ON exchange_rate_entry
WHEN (NEW.entry_id <> -1 AND EXISTS (SELECT 1 FROM exchange_rate_entry WHERE entry_id = NEW.entry_id))
BEGIN SELECT RAISE(FAIL, 'exchange_rate_entry is append-only: a row is never replaced'); END;

CREATE TRIGGER product_version_refuses_update BEFORE UPDATE ON product_version
BEGIN SELECT RAISE(ABORT, 'product_version is append-only: a row is never changed'); END;

CREATE TRIGGER product_version_refuses_delete BEFORE DELETE ON product_version
BEGIN SELECT RAISE(ABORT, 'product_version is append-only: a row is never deleted'); END;

CREATE TRIGGER product_version_refuses_replacement BEFORE INSERT ON product_version
WHEN (NEW.version_id <> -1 AND EXISTS (SELECT 1 FROM product_version WHERE version_id = NEW.version_id))
BEGIN SELECT RAISE(FAIL, 'product_version is append-only: a row is never replaced'); END;

CREATE TRIGGER product_name_refuses_update BEFORE UPDATE ON product_name
BEGIN SELECT RAISE(ABORT, 'product_name is append-only: a row is never changed'); END;

CREATE TRIGGER product_name_refuses_delete BEFORE DELETE ON product_name
BEGIN SELECT RAISE(ABORT, 'product_name is append-only: a row is never deleted'); END;

CREATE TRIGGER product_name_refuses_replacement BEFORE INSERT ON product_name
WHEN EXISTS (SELECT 1 FROM product_name WHERE version_id = NEW.version_id AND locale = NEW.locale)
BEGIN SELECT RAISE(FAIL, 'product_name is append-only: a row is never replaced'); END;

CREATE TRIGGER product_price_refuses_update BEFORE UPDATE ON product_price
BEGIN SELECT RAISE(ABORT, 'product_price is append-only: a row is never changed'); END;

CREATE TRIGGER product_price_refuses_delete BEFORE DELETE ON product_price
BEGIN SELECT RAISE(ABORT, 'product_price is append-only: a row is never deleted'); END;

CREATE TRIGGER product_price_refuses_replacement BEFORE INSERT ON product_price
WHEN EXISTS (SELECT 1 FROM product_price WHERE version_id = NEW.version_id AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(FAIL, 'product_price is append-only: a row is never replaced'); END;

CREATE TRIGGER product_offer_refuses_update BEFORE UPDATE ON product_offer
BEGIN SELECT RAISE(ABORT, 'product_offer is append-only: a row is never changed'); END;

CREATE TRIGGER product_offer_refuses_delete BEFORE DELETE ON product_offer
BEGIN SELECT RAISE(ABORT, 'product_offer is append-only: a row is never deleted'); END;

CREATE TRIGGER product_offer_refuses_replacement BEFORE INSERT ON product_offer
WHEN EXISTS (SELECT 1 FROM product_offer WHERE version_id = NEW.version_id AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(FAIL, 'product_offer is append-only: a row is never replaced'); END;

CREATE TRIGGER product_entitlement_entry_refuses_update BEFORE UPDATE ON product_entitlement_entry
BEGIN SELECT RAISE(ABORT, 'product_entitlement_entry is append-only: a row is never changed'); END;

CREATE TRIGGER product_entitlement_entry_refuses_delete BEFORE DELETE ON product_entitlement_entry
BEGIN SELECT RAISE(ABORT, 'product_entitlement_entry is append-only: a row is never deleted'); END;

CREATE TRIGGER product_entitlement_entry_refuses_replacement BEFORE INSERT ON product_entitlement_entry
WHEN (NEW.entry_id <> -1 AND EXISTS (SELECT 1 FROM product_entitlement_entry WHERE entry_id = NEW.entry_id))
BEGIN SELECT RAISE(FAIL, 'product_entitlement_entry is append-only: a row is never replaced'); END;

CREATE TRIGGER customer_refuses_update BEFORE UPDATE ON customer
BEGIN SELECT RAISE(ABORT, 'customer is append-only: a row is never changed'); END;

CREATE TRIGGER customer_refuses_delete BEFORE DELETE ON customer
BEGIN SELECT RAISE(ABORT, 'customer is append-only: a row is never deleted'); END;

CREATE TRIGGER customer_refuses_replacement BEFORE INSERT ON customer
WHEN (NEW.customer_key <> -1 AND EXISTS (SELECT 1 FROM customer WHERE customer_key = NEW.customer_key))
  OR EXISTS (SELECT 1 FROM customer WHERE customer = NEW.customer)
BEGIN SELECT RAISE(FAIL, 'customer is append-only: a row is never replaced'); END;

CREATE TRIGGER customer_link_entry_refuses_update BEFORE UPDATE ON customer_link_entry
BEGIN SELECT RAISE(ABORT, 'customer_link_entry is append-only: a row is never changed'); END;

CREATE TRIGGER customer_link_entry_refuses_delete BEFORE DELETE ON customer_link_entry
BEGIN SELECT RAISE(ABORT, 'customer_link_entry is append-only: a row is never deleted'); END;

CREATE TRIGGER customer_link_entry_refuses_replacement BEFORE INSERT ON customer_link_entry
WHEN (NEW.entry_id <> -1 AND EXISTS (SELECT 1 FROM customer_link_entry WHERE entry_id = NEW.entry_id))
BEGIN SELECT RAISE(FAIL, 'customer_link_entry is append-only: a row is never replaced'); END;

CREATE TRIGGER customer_note_refuses_update BEFORE UPDATE ON customer_note
BEGIN SELECT RAISE(ABORT, 'customer_note is append-only: a row is never changed'); END;

CREATE TRIGGER customer_note_refuses_delete BEFORE DELETE ON customer_note
BEGIN SELECT RAISE(ABORT, 'customer_note is append-only: a row is never deleted'); END;

CREATE TRIGGER customer_note_refuses_replacement BEFORE INSERT ON customer_note
WHEN (NEW.note_id <> -1 AND EXISTS (SELECT 1 FROM customer_note WHERE note_id = NEW.note_id))
BEGIN SELECT RAISE(FAIL, 'customer_note is append-only: a row is never replaced'); END;

CREATE TRIGGER access_grant_refuses_update BEFORE UPDATE ON access_grant
BEGIN SELECT RAISE(ABORT, 'access_grant is append-only: a row is never changed'); END;

CREATE TRIGGER access_grant_refuses_delete BEFORE DELETE ON access_grant
BEGIN SELECT RAISE(ABORT, 'access_grant is append-only: a row is never deleted'); END;

CREATE TRIGGER access_grant_refuses_replacement BEFORE INSERT ON access_grant
WHEN (NEW.grant_id <> -1 AND EXISTS (SELECT 1 FROM access_grant WHERE grant_id = NEW.grant_id))
BEGIN SELECT RAISE(FAIL, 'access_grant is append-only: a row is never replaced'); END;

CREATE TRIGGER access_grant_revocation_refuses_update BEFORE UPDATE ON access_grant_revocation
BEGIN SELECT RAISE(ABORT, 'access_grant_revocation is append-only: a row is never changed'); END;

CREATE TRIGGER access_grant_revocation_refuses_delete BEFORE DELETE ON access_grant_revocation
BEGIN SELECT RAISE(ABORT, 'access_grant_revocation is append-only: a row is never deleted'); END;

CREATE TRIGGER access_grant_revocation_refuses_replacement BEFORE INSERT ON access_grant_revocation
WHEN (NEW.revocation_id <> -1 AND EXISTS (SELECT 1 FROM access_grant_revocation WHERE revocation_id = NEW.revocation_id))
BEGIN SELECT RAISE(FAIL, 'access_grant_revocation is append-only: a row is never replaced'); END;

CREATE TRIGGER client_event_refuses_update BEFORE UPDATE ON client_event
BEGIN SELECT RAISE(ABORT, 'client_event is append-only: a row is never changed'); END;

CREATE TRIGGER client_event_refuses_delete BEFORE DELETE ON client_event
BEGIN SELECT RAISE(ABORT, 'client_event is append-only: a row is never deleted'); END;

CREATE TRIGGER client_event_refuses_replacement BEFORE INSERT ON client_event
WHEN (NEW.payload_id <> -1 AND EXISTS (SELECT 1 FROM client_event WHERE payload_id = NEW.payload_id))
BEGIN SELECT RAISE(FAIL, 'client_event is append-only: a row is never replaced'); END;

CREATE TRIGGER api_token_refuses_update BEFORE UPDATE ON api_token
BEGIN SELECT RAISE(ABORT, 'api_token is append-only: a row is never changed'); END;

CREATE TRIGGER api_token_refuses_delete BEFORE DELETE ON api_token
BEGIN SELECT RAISE(ABORT, 'api_token is append-only: a row is never deleted'); END;

CREATE TRIGGER api_token_refuses_replacement BEFORE INSERT ON api_token
WHEN (NEW.token_key <> -1 AND EXISTS (SELECT 1 FROM api_token WHERE token_key = NEW.token_key))
  OR EXISTS (SELECT 1 FROM api_token WHERE token_id = NEW.token_id)
BEGIN SELECT RAISE(FAIL, 'api_token is append-only: a row is never replaced'); END;

CREATE TRIGGER api_token_secret_refuses_update BEFORE UPDATE ON api_token_secret
BEGIN SELECT RAISE(ABORT, 'api_token_secret is append-only: a row is never changed'); END;

CREATE TRIGGER api_token_secret_refuses_delete BEFORE DELETE ON api_token_secret
BEGIN SELECT RAISE(ABORT, 'api_token_secret is append-only: a row is never deleted'); END;

CREATE TRIGGER api_token_secret_refuses_replacement BEFORE INSERT ON api_token_secret
WHEN (NEW.secret_id <> -1 AND EXISTS (SELECT 1 FROM api_token_secret WHERE secret_id = NEW.secret_id))
BEGIN SELECT RAISE(FAIL, 'api_token_secret is append-only: a row is never replaced'); END;

CREATE TRIGGER api_token_revocation_refuses_update BEFORE UPDATE ON api_token_revocation
BEGIN SELECT RAISE(ABORT, 'api_token_revocation is append-only: a row is never changed'); END;

CREATE TRIGGER api_token_revocation_refuses_delete BEFORE DELETE ON api_token_revocation
BEGIN SELECT RAISE(ABORT, 'api_token_revocation is append-only: a row is never deleted'); END;

CREATE TRIGGER api_token_revocation_refuses_replacement BEFORE INSERT ON api_token_revocation
WHEN (NEW.token_key <> -1 AND EXISTS (SELECT 1 FROM api_token_revocation WHERE token_key = NEW.token_key))
BEGIN SELECT RAISE(FAIL, 'api_token_revocation is append-only: a row is never replaced'); END;

CREATE TRIGGER access_log_entry_refuses_update BEFORE UPDATE ON access_log_entry
BEGIN SELECT RAISE(ABORT, 'access_log_entry is append-only: a row is never changed'); END;

CREATE TRIGGER access_log_entry_refuses_delete BEFORE DELETE ON access_log_entry
BEGIN SELECT RAISE(ABORT, 'access_log_entry is append-only: a row is never deleted'); END;

CREATE TRIGGER access_log_entry_refuses_replacement BEFORE INSERT ON access_log_entry
WHEN (NEW.entry_id <> -1 AND EXISTS (SELECT 1 FROM access_log_entry WHERE entry_id = NEW.entry_id))
BEGIN SELECT RAISE(FAIL, 'access_log_entry is append-only: a row is never replaced'); END;

CREATE TRIGGER state_change_refuses_update BEFORE UPDATE ON state_change
BEGIN SELECT RAISE(ABORT, 'state_change is append-only: a row is never changed'); END;

CREATE TRIGGER state_change_refuses_delete BEFORE DELETE ON state_change
BEGIN SELECT RAISE(ABORT, 'state_change is append-only: a row is never deleted'); END;

CREATE TRIGGER state_change_refuses_replacement BEFORE INSERT ON state_change
WHEN (NEW.change_id <> -1 AND EXISTS (SELECT 1 FROM state_change WHERE change_id = NEW.change_id))
BEGIN SELECT RAISE(FAIL, 'state_change is append-only: a row is never replaced'); END;

CREATE TRIGGER seal_refuses_update BEFORE UPDATE ON seal
BEGIN SELECT RAISE(ABORT, 'seal is append-only: a row is never changed'); END;

CREATE TRIGGER seal_refuses_delete BEFORE DELETE ON seal
BEGIN SELECT RAISE(ABORT, 'seal is append-only: a row is never deleted'); END;

CREATE TRIGGER seal_refuses_replacement BEFORE INSERT ON seal
WHEN (NEW.seal_id <> -1 AND EXISTS (SELECT 1 FROM seal WHERE seal_id = NEW.seal_id))
BEGIN SELECT RAISE(FAIL, 'seal is append-only: a row is never replaced'); END;

CREATE TRIGGER erasure_refuses_update BEFORE UPDATE ON erasure
BEGIN SELECT RAISE(ABORT, 'erasure is append-only: a row is never changed'); END;

CREATE TRIGGER erasure_refuses_delete BEFORE DELETE ON erasure
BEGIN SELECT RAISE(ABORT, 'erasure is append-only: a row is never deleted'); END;

CREATE TRIGGER erasure_refuses_replacement BEFORE INSERT ON erasure
WHEN (NEW.erasure_id <> -1 AND EXISTS (SELECT 1 FROM erasure WHERE erasure_id = NEW.erasure_id))
BEGIN SELECT RAISE(FAIL, 'erasure is append-only: a row is never replaced'); END;

CREATE TRIGGER erased_text_refuses_update BEFORE UPDATE ON erased_text
BEGIN SELECT RAISE(ABORT, 'erased_text is append-only: a row is never changed'); END;

CREATE TRIGGER erased_text_refuses_delete BEFORE DELETE ON erased_text
BEGIN SELECT RAISE(ABORT, 'erased_text is append-only: a row is never deleted'); END;

CREATE TRIGGER erased_text_refuses_replacement BEFORE INSERT ON erased_text
WHEN EXISTS (SELECT 1 FROM erased_text WHERE kind = NEW.kind AND digest = NEW.digest AND erasure_id = NEW.erasure_id)
BEGIN SELECT RAISE(FAIL, 'erased_text is append-only: a row is never replaced'); END;

CREATE TRIGGER rewritten_row_refuses_update BEFORE UPDATE ON rewritten_row
BEGIN SELECT RAISE(ABORT, 'rewritten_row is append-only: a row is never changed'); END;

CREATE TRIGGER rewritten_row_refuses_delete BEFORE DELETE ON rewritten_row
BEGIN SELECT RAISE(ABORT, 'rewritten_row is append-only: a row is never deleted'); END;

CREATE TRIGGER rewritten_row_refuses_replacement BEFORE INSERT ON rewritten_row
WHEN (NEW.rewriting_id <> -1 AND EXISTS (SELECT 1 FROM rewritten_row WHERE rewriting_id = NEW.rewriting_id))
BEGIN SELECT RAISE(FAIL, 'rewritten_row is append-only: a row is never replaced'); END;

CREATE TRIGGER text_form_refuses_update BEFORE UPDATE ON text_form
BEGIN SELECT RAISE(ABORT, 'text_form is append-only: a row is never changed'); END;

CREATE TRIGGER text_form_refuses_delete BEFORE DELETE ON text_form
BEGIN SELECT RAISE(ABORT, 'text_form is append-only: a row is never deleted'); END;

CREATE TRIGGER text_form_refuses_replacement BEFORE INSERT ON text_form
WHEN (NEW.form_id <> -1 AND EXISTS (SELECT 1 FROM text_form WHERE form_id = NEW.form_id))
  OR EXISTS (SELECT 1 FROM text_form WHERE digest = NEW.digest)
BEGIN SELECT RAISE(FAIL, 'text_form is append-only: a row is never replaced'); END;

CREATE TRIGGER jws_header_refuses_update BEFORE UPDATE ON jws_header
BEGIN SELECT RAISE(ABORT, 'jws_header is append-only: a row is never changed'); END;

CREATE TRIGGER jws_header_refuses_delete BEFORE DELETE ON jws_header
BEGIN SELECT RAISE(ABORT, 'jws_header is append-only: a row is never deleted'); END;

CREATE TRIGGER jws_header_refuses_replacement BEFORE INSERT ON jws_header
WHEN (NEW.header_id <> -1 AND EXISTS (SELECT 1 FROM jws_header WHERE header_id = NEW.header_id))
  OR EXISTS (SELECT 1 FROM jws_header WHERE digest = NEW.digest)
BEGIN SELECT RAISE(FAIL, 'jws_header is append-only: a row is never replaced'); END;

CREATE TRIGGER sealed_table_refuses_update BEFORE UPDATE ON sealed_table
BEGIN SELECT RAISE(ABORT, 'sealed_table is append-only: a row is never changed'); END;

CREATE TRIGGER sealed_table_refuses_delete BEFORE DELETE ON sealed_table
BEGIN SELECT RAISE(ABORT, 'sealed_table is append-only: a row is never deleted'); END;

CREATE TRIGGER sealed_table_refuses_replacement BEFORE INSERT ON sealed_table
WHEN (NEW.table_number <> -1 AND EXISTS (SELECT 1 FROM sealed_table WHERE table_number = NEW.table_number))
  OR EXISTS (SELECT 1 FROM sealed_table WHERE name = NEW.name)
BEGIN SELECT RAISE(FAIL, 'sealed_table is append-only: a row is never replaced'); END;

CREATE TRIGGER erasable_column_refuses_update BEFORE UPDATE ON erasable_column
BEGIN SELECT RAISE(ABORT, 'erasable_column is append-only: a row is never changed'); END;

CREATE TRIGGER erasable_column_refuses_delete BEFORE DELETE ON erasable_column
BEGIN SELECT RAISE(ABORT, 'erasable_column is append-only: a row is never deleted'); END;

CREATE TRIGGER erasable_column_refuses_replacement BEFORE INSERT ON erasable_column
WHEN EXISTS (SELECT 1 FROM erasable_column WHERE table_number = NEW.table_number AND column_name = NEW.column_name)
BEGIN SELECT RAISE(FAIL, 'erasable_column is append-only: a row is never replaced'); END;

CREATE TRIGGER erasable_table_refuses_update BEFORE UPDATE ON erasable_table
BEGIN SELECT RAISE(ABORT, 'erasable_table is append-only: a row is never changed'); END;

CREATE TRIGGER erasable_table_refuses_delete BEFORE DELETE ON erasable_table
BEGIN SELECT RAISE(ABORT, 'erasable_table is append-only: a row is never deleted'); END;

CREATE TRIGGER erasable_table_refuses_replacement BEFORE INSERT ON erasable_table
WHEN (NEW.table_number <> -1 AND EXISTS (SELECT 1 FROM erasable_table WHERE table_number = NEW.table_number))
BEGIN SELECT RAISE(FAIL, 'erasable_table is append-only: a row is never replaced'); END;

CREATE TRIGGER calendar_month_refuses_update BEFORE UPDATE ON calendar_month
BEGIN SELECT RAISE(ABORT, 'calendar_month is append-only: a row is never changed'); END;

CREATE TRIGGER calendar_month_refuses_delete BEFORE DELETE ON calendar_month
BEGIN SELECT RAISE(ABORT, 'calendar_month is append-only: a row is never deleted'); END;

CREATE TRIGGER calendar_month_refuses_replacement BEFORE INSERT ON calendar_month
WHEN (NEW.month_number <> -1 AND EXISTS (SELECT 1 FROM calendar_month WHERE month_number = NEW.month_number))
BEGIN SELECT RAISE(FAIL, 'calendar_month is append-only: a row is never replaced'); END;

CREATE TRIGGER original_transaction_identifier_refuses_update BEFORE UPDATE ON original_transaction_identifier
BEGIN SELECT RAISE(ABORT, 'original_transaction_identifier is append-only: a row is never changed'); END;

CREATE TRIGGER original_transaction_identifier_refuses_delete BEFORE DELETE ON original_transaction_identifier
BEGIN SELECT RAISE(ABORT, 'original_transaction_identifier is append-only: a row is never deleted'); END;

CREATE TRIGGER original_transaction_identifier_refuses_replacement BEFORE INSERT ON original_transaction_identifier
WHEN EXISTS (SELECT 1 FROM original_transaction_identifier WHERE identifier = NEW.identifier AND kind = NEW.kind AND original_transaction_key = NEW.original_transaction_key)
BEGIN SELECT RAISE(FAIL, 'original_transaction_identifier is append-only: a row is never replaced'); END;

CREATE TRIGGER customer_link_target_refuses_update BEFORE UPDATE ON customer_link_target
BEGIN SELECT RAISE(ABORT, 'customer_link_target is append-only: a row is never changed'); END;

CREATE TRIGGER customer_link_target_refuses_delete BEFORE DELETE ON customer_link_target
BEGIN SELECT RAISE(ABORT, 'customer_link_target is append-only: a row is never deleted'); END;

CREATE TRIGGER customer_link_target_refuses_replacement BEFORE INSERT ON customer_link_target
WHEN EXISTS (SELECT 1 FROM customer_link_target WHERE entry_id = NEW.entry_id AND original_transaction_key = NEW.original_transaction_key)
BEGIN SELECT RAISE(FAIL, 'customer_link_target is append-only: a row is never replaced'); END;
