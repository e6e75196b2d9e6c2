-- Notifications and other messages: what they state beside transactions, and what the app itself reports.

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

-- Apple's attempts to deliver a notification, from pages of notification history.
CREATE TABLE send_attempt (
  payload_id INTEGER NOT NULL REFERENCES payload,
  ordinal INTEGER NOT NULL,
  notification_id INTEGER NOT NULL REFERENCES payload,
  attempted_at INTEGER NOT NULL,
  result TEXT,
  PRIMARY KEY (payload_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX send_attempt_of_notification ON send_attempt (notification_id);

-- The order that an answer of Look Up Order ID is about. The answer does not repeat it: the importer is given it.
CREATE TABLE order_lookup (
  payload_id INTEGER NOT NULL REFERENCES payload,
  order_id TEXT NOT NULL,
  PRIMARY KEY (order_id, payload_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX order_lookup_of_payload ON order_lookup (payload_id);

-- Reports of the app about StoreKit's payment queue: a device's claims, beside the evidence and never part of it. No
-- view that decides about access reads this table.
CREATE TABLE client_event (
  payload_id INTEGER PRIMARY KEY REFERENCES payload,
  -- updated or removed.
  event TEXT NOT NULL,
  -- purchasing, purchased, failed, deferred, restored.
  transaction_state TEXT,
  transaction_id TEXT,
  original_transaction_id TEXT,
  product_id TEXT NOT NULL,
  customer TEXT,
  app_account_token TEXT,
  device TEXT,
  -- Whose purchases follow one another: the customer's, else the token's, else the device's.
  queue TEXT NOT NULL,
  -- By the device's clock.
  happened_at INTEGER NOT NULL,
  error_domain TEXT,
  error_code INTEGER,
  error_message TEXT
) STRICT;
CREATE INDEX client_event_of_queue ON client_event (queue);
CREATE INDEX client_event_of_transaction ON client_event (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX client_event_of_customer ON client_event (customer) WHERE customer IS NOT NULL;
CREATE INDEX client_event_of_token ON client_event (app_account_token) WHERE app_account_token IS NOT NULL;
