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

-- The order that a response of Look Up Order ID is about. The response does not contain the order id, so the caller
-- gives it to the importer.
CREATE TABLE order_lookup (
  payload_id INTEGER NOT NULL REFERENCES payload,
  order_id TEXT NOT NULL,
  PRIMARY KEY (order_id, payload_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX order_lookup_of_payload ON order_lookup (payload_id);

-- The app's reports about StoreKit's payment queue. They are what a device reports, and never part of the evidence. No
-- view that decides about access reads this table.
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
