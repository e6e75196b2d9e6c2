-- The app's own reports about StoreKit's payment queue, one row for each event. They are what a device reports, and
-- never part of the evidence. No view that decides about access reads this table.
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
