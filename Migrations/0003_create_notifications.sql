-- What notifications say beside transactions and renewals, and the app's own purchase.

CREATE TABLE notification (
  payload_id INTEGER PRIMARY KEY REFERENCES payload,
  notification_type TEXT NOT NULL,
  subtype TEXT,
  notification_uuid TEXT,
  version TEXT,
  line_id INTEGER REFERENCES line,
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
CREATE INDEX notification_of_line ON notification (line_id) WHERE line_id IS NOT NULL;

CREATE TABLE app_transaction_statement (
  statement_id INTEGER PRIMARY KEY REFERENCES statement,
  app_transaction_id TEXT,
  bundle_id TEXT,
  app_apple_id TEXT,
  application_version TEXT,
  original_application_version TEXT,
  original_purchase_at INTEGER,
  preorder_at INTEGER,
  original_platform TEXT
) STRICT;

CREATE TABLE app_transaction_version (
  version_id INTEGER PRIMARY KEY,
  payload_id INTEGER NOT NULL REFERENCES payload,
  environment TEXT NOT NULL,
  statement_id INTEGER NOT NULL REFERENCES app_transaction_statement,
  signed_at INTEGER,
  position INTEGER
) STRICT;
CREATE INDEX app_transaction_version_of_payload ON app_transaction_version (payload_id);
