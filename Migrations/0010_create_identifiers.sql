-- By what a line can be found, and what else answers tell beside transactions.

-- Ids of Apple's that lead to lines: web_order_line_item_id, app_account_token, app_transaction_id, order_id,
-- previous_original_transaction_id. (Transaction ids lead there by tables of their own.)
CREATE TABLE line_identifier (
  identifier TEXT NOT NULL,
  kind TEXT NOT NULL,
  line_id INTEGER NOT NULL REFERENCES line,
  PRIMARY KEY (identifier, kind, line_id)
) STRICT, WITHOUT ROWID;

-- An answer of Look Up Order ID does not repeat the order that was asked for: whoever imports it tells.
CREATE TABLE order_lookup (
  payload_id INTEGER NOT NULL REFERENCES payload,
  order_id TEXT NOT NULL,
  PRIMARY KEY (order_id, payload_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX order_lookup_of_payload ON order_lookup (payload_id);

-- Apple's attempts to deliver a notification, as a page of notification history tells them.
CREATE TABLE send_attempt (
  payload_id INTEGER NOT NULL REFERENCES payload,
  ordinal INTEGER NOT NULL,
  notification_id INTEGER NOT NULL REFERENCES payload,
  attempted_at INTEGER NOT NULL,
  result TEXT,
  PRIMARY KEY (payload_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX send_attempt_of_notification ON send_attempt (notification_id);

-- What other evidence of the same product says (rules §9): from a statement to where and when it was said.
CREATE INDEX transaction_version_of_statement ON transaction_version (statement_id);

CREATE INDEX notification_of_uuid ON notification (notification_uuid) WHERE notification_uuid IS NOT NULL;

INSERT INTO line_identifier
SELECT DISTINCT s.web_order_line_item_id, 'web_order_line_item_id', v.line_id
FROM transaction_version v JOIN transaction_statement s USING (statement_id) WHERE s.web_order_line_item_id IS NOT NULL
UNION
SELECT s.app_account_token, 'app_account_token', v.line_id
FROM transaction_version v JOIN transaction_statement s USING (statement_id) WHERE s.app_account_token IS NOT NULL
UNION
SELECT s.app_account_token, 'app_account_token', v.line_id
FROM renewal_version v JOIN renewal_statement s USING (statement_id) WHERE s.app_account_token IS NOT NULL
UNION
SELECT s.app_transaction_id, 'app_transaction_id', v.line_id
FROM transaction_version v JOIN transaction_statement s USING (statement_id) WHERE s.app_transaction_id IS NOT NULL
UNION
SELECT s.app_transaction_id, 'app_transaction_id', v.line_id
FROM renewal_version v JOIN renewal_statement s USING (statement_id) WHERE s.app_transaction_id IS NOT NULL
UNION
SELECT s.previous_original_transaction_id, 'previous_original_transaction_id', v.line_id
FROM transaction_version v JOIN transaction_statement s USING (statement_id)
WHERE s.previous_original_transaction_id IS NOT NULL;
