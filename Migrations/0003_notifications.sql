-- Notifications and other messages: what they state beside transactions.

-- One row for each notification.
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

-- The seat claims that Apple released, by notifications of the type UNCLAIM_SEATS.
CREATE TABLE seat_release (
  seat_claim_id TEXT NOT NULL,
  payload_id INTEGER NOT NULL REFERENCES payload,
  PRIMARY KEY (seat_claim_id, payload_id)
) STRICT, WITHOUT ROWID;
