-- A replacement is refused as before, but by failing at once: what a statement has not done yet need not be undone, and
-- with ABORT SQLite kept a journal for every row inserted. (Of many rows in one statement, those before the refused one
-- stay: they are new rows like any other.) A number that SQLite will choose replaces nothing, and is not looked for.

DROP TRIGGER origin_refuses_replacement;
CREATE TRIGGER origin_refuses_replacement BEFORE INSERT ON origin
WHEN EXISTS (SELECT 1 FROM origin WHERE origin_id = NEW.origin_id)
  OR EXISTS (SELECT 1 FROM origin WHERE name = NEW.name)
BEGIN SELECT RAISE(FAIL, 'origin is evidence: a row is never replaced'); END;
DROP TRIGGER jws_header_refuses_replacement;
CREATE TRIGGER jws_header_refuses_replacement BEFORE INSERT ON jws_header
WHEN EXISTS (SELECT 1 FROM jws_header WHERE header_id = NEW.header_id)
  OR EXISTS (SELECT 1 FROM jws_header WHERE digest = NEW.digest)
BEGIN SELECT RAISE(FAIL, 'jws_header is evidence: a row is never replaced'); END;
DROP TRIGGER payload_refuses_replacement;
CREATE TRIGGER payload_refuses_replacement BEFORE INSERT ON payload
WHEN (NEW.payload_id > 0 AND EXISTS (SELECT 1 FROM payload WHERE payload_id = NEW.payload_id))
  OR EXISTS (SELECT 1 FROM payload WHERE digest = NEW.digest)
BEGIN SELECT RAISE(FAIL, 'payload is evidence: a row is never replaced'); END;
DROP TRIGGER delivery_refuses_replacement;
CREATE TRIGGER delivery_refuses_replacement BEFORE INSERT ON delivery
WHEN EXISTS (SELECT 1 FROM delivery WHERE payload_id = NEW.payload_id AND received_at = NEW.received_at AND is_told = NEW.is_told)
BEGIN SELECT RAISE(FAIL, 'delivery is evidence: a row is never replaced'); END;
DROP TRIGGER payload_part_refuses_replacement;
CREATE TRIGGER payload_part_refuses_replacement BEFORE INSERT ON payload_part
WHEN EXISTS (SELECT 1 FROM payload_part WHERE payload_id = NEW.payload_id AND position = NEW.position)
BEGIN SELECT RAISE(FAIL, 'payload_part is evidence: a row is never replaced'); END;
DROP TRIGGER problem_refuses_replacement;
CREATE TRIGGER problem_refuses_replacement BEFORE INSERT ON problem
WHEN EXISTS (SELECT 1 FROM problem WHERE payload_id = NEW.payload_id AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(FAIL, 'problem is evidence: a row is never replaced'); END;
DROP TRIGGER receipt_data_refuses_replacement;
CREATE TRIGGER receipt_data_refuses_replacement BEFORE INSERT ON receipt_data
WHEN EXISTS (SELECT 1 FROM receipt_data WHERE digest = NEW.digest)
BEGIN SELECT RAISE(FAIL, 'receipt_data is evidence: a row is never replaced'); END;
DROP TRIGGER quarantine_refuses_replacement;
CREATE TRIGGER quarantine_refuses_replacement BEFORE INSERT ON quarantine
WHEN EXISTS (SELECT 1 FROM quarantine WHERE quarantine_id = NEW.quarantine_id)
  OR EXISTS (SELECT 1 FROM quarantine WHERE digest = NEW.digest)
BEGIN SELECT RAISE(FAIL, 'quarantine is evidence: a row is never replaced'); END;
DROP TRIGGER quarantine_bytes_refuses_replacement;
CREATE TRIGGER quarantine_bytes_refuses_replacement BEFORE INSERT ON quarantine_bytes
WHEN EXISTS (SELECT 1 FROM quarantine_bytes WHERE quarantine_id = NEW.quarantine_id AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(FAIL, 'quarantine_bytes is evidence: a row is never replaced'); END;
DROP TRIGGER quarantine_release_refuses_replacement;
CREATE TRIGGER quarantine_release_refuses_replacement BEFORE INSERT ON quarantine_release
WHEN EXISTS (SELECT 1 FROM quarantine_release WHERE quarantine_id = NEW.quarantine_id)
BEGIN SELECT RAISE(FAIL, 'quarantine_release is evidence: a row is never replaced'); END;
DROP TRIGGER line_refuses_replacement;
CREATE TRIGGER line_refuses_replacement BEFORE INSERT ON line
WHEN (NEW.line_id > 0 AND EXISTS (SELECT 1 FROM line WHERE line_id = NEW.line_id))
  OR EXISTS (SELECT 1 FROM line WHERE original_transaction_id = NEW.original_transaction_id AND environment = NEW.environment)
BEGIN SELECT RAISE(FAIL, 'line is evidence: a row is never replaced'); END;
DROP TRIGGER store_transaction_refuses_replacement;
CREATE TRIGGER store_transaction_refuses_replacement BEFORE INSERT ON store_transaction
WHEN (NEW.transaction_key > 0 AND EXISTS (SELECT 1 FROM store_transaction WHERE transaction_key = NEW.transaction_key))
  OR EXISTS (SELECT 1 FROM store_transaction WHERE transaction_id = NEW.transaction_id AND line_id = NEW.line_id)
BEGIN SELECT RAISE(FAIL, 'store_transaction is evidence: a row is never replaced'); END;
DROP TRIGGER statement_refuses_replacement;
CREATE TRIGGER statement_refuses_replacement BEFORE INSERT ON statement
WHEN (NEW.statement_id > 0 AND EXISTS (SELECT 1 FROM statement WHERE statement_id = NEW.statement_id))
  OR EXISTS (SELECT 1 FROM statement WHERE digest = NEW.digest)
BEGIN SELECT RAISE(FAIL, 'statement is evidence: a row is never replaced'); END;
DROP TRIGGER transaction_statement_refuses_replacement;
CREATE TRIGGER transaction_statement_refuses_replacement BEFORE INSERT ON transaction_statement
WHEN EXISTS (SELECT 1 FROM transaction_statement WHERE statement_id = NEW.statement_id)
BEGIN SELECT RAISE(FAIL, 'transaction_statement is evidence: a row is never replaced'); END;
DROP TRIGGER renewal_statement_refuses_replacement;
CREATE TRIGGER renewal_statement_refuses_replacement BEFORE INSERT ON renewal_statement
WHEN EXISTS (SELECT 1 FROM renewal_statement WHERE statement_id = NEW.statement_id)
BEGIN SELECT RAISE(FAIL, 'renewal_statement is evidence: a row is never replaced'); END;
DROP TRIGGER transaction_version_refuses_replacement;
CREATE TRIGGER transaction_version_refuses_replacement BEFORE INSERT ON transaction_version
WHEN (NEW.version_id > 0 AND EXISTS (SELECT 1 FROM transaction_version WHERE version_id = NEW.version_id))
BEGIN SELECT RAISE(FAIL, 'transaction_version is evidence: a row is never replaced'); END;
DROP TRIGGER renewal_version_refuses_replacement;
CREATE TRIGGER renewal_version_refuses_replacement BEFORE INSERT ON renewal_version
WHEN (NEW.version_id > 0 AND EXISTS (SELECT 1 FROM renewal_version WHERE version_id = NEW.version_id))
BEGIN SELECT RAISE(FAIL, 'renewal_version is evidence: a row is never replaced'); END;
DROP TRIGGER status_claim_refuses_replacement;
CREATE TRIGGER status_claim_refuses_replacement BEFORE INSERT ON status_claim
WHEN (NEW.claim_id > 0 AND EXISTS (SELECT 1 FROM status_claim WHERE claim_id = NEW.claim_id))
BEGIN SELECT RAISE(FAIL, 'status_claim is evidence: a row is never replaced'); END;
DROP TRIGGER notification_refuses_replacement;
CREATE TRIGGER notification_refuses_replacement BEFORE INSERT ON notification
WHEN EXISTS (SELECT 1 FROM notification WHERE payload_id = NEW.payload_id)
BEGIN SELECT RAISE(FAIL, 'notification is evidence: a row is never replaced'); END;
DROP TRIGGER app_transaction_statement_refuses_replacement;
CREATE TRIGGER app_transaction_statement_refuses_replacement BEFORE INSERT ON app_transaction_statement
WHEN EXISTS (SELECT 1 FROM app_transaction_statement WHERE statement_id = NEW.statement_id)
BEGIN SELECT RAISE(FAIL, 'app_transaction_statement is evidence: a row is never replaced'); END;
DROP TRIGGER app_transaction_version_refuses_replacement;
CREATE TRIGGER app_transaction_version_refuses_replacement BEFORE INSERT ON app_transaction_version
WHEN (NEW.version_id > 0 AND EXISTS (SELECT 1 FROM app_transaction_version WHERE version_id = NEW.version_id))
BEGIN SELECT RAISE(FAIL, 'app_transaction_version is evidence: a row is never replaced'); END;
DROP TRIGGER product_version_refuses_replacement;
CREATE TRIGGER product_version_refuses_replacement BEFORE INSERT ON product_version
WHEN EXISTS (SELECT 1 FROM product_version WHERE version_id = NEW.version_id)
BEGIN SELECT RAISE(FAIL, 'product_version: a row is never replaced'); END;
DROP TRIGGER product_name_refuses_replacement;
CREATE TRIGGER product_name_refuses_replacement BEFORE INSERT ON product_name
WHEN EXISTS (SELECT 1 FROM product_name WHERE version_id = NEW.version_id AND locale = NEW.locale)
BEGIN SELECT RAISE(FAIL, 'product_name: a row is never replaced'); END;
DROP TRIGGER product_price_refuses_replacement;
CREATE TRIGGER product_price_refuses_replacement BEFORE INSERT ON product_price
WHEN EXISTS (SELECT 1 FROM product_price WHERE version_id = NEW.version_id AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(FAIL, 'product_price: a row is never replaced'); END;
DROP TRIGGER product_offer_refuses_replacement;
CREATE TRIGGER product_offer_refuses_replacement BEFORE INSERT ON product_offer
WHEN EXISTS (SELECT 1 FROM product_offer WHERE version_id = NEW.version_id AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(FAIL, 'product_offer: a row is never replaced'); END;
DROP TRIGGER product_entitlement_entry_refuses_replacement;
CREATE TRIGGER product_entitlement_entry_refuses_replacement BEFORE INSERT ON product_entitlement_entry
WHEN EXISTS (SELECT 1 FROM product_entitlement_entry WHERE entry_id = NEW.entry_id)
BEGIN SELECT RAISE(FAIL, 'product_entitlement_entry: a row is never replaced'); END;
DROP TRIGGER calendar_month_refuses_replacement;
CREATE TRIGGER calendar_month_refuses_replacement BEFORE INSERT ON calendar_month
WHEN EXISTS (SELECT 1 FROM calendar_month WHERE month_number = NEW.month_number)
BEGIN SELECT RAISE(FAIL, 'calendar_month: a row is never replaced'); END;
DROP TRIGGER customer_refuses_replacement;
CREATE TRIGGER customer_refuses_replacement BEFORE INSERT ON customer
WHEN EXISTS (SELECT 1 FROM customer WHERE customer_key = NEW.customer_key)
  OR EXISTS (SELECT 1 FROM customer WHERE customer = NEW.customer)
BEGIN SELECT RAISE(FAIL, 'customer: a row is never replaced'); END;
DROP TRIGGER customer_entry_refuses_replacement;
CREATE TRIGGER customer_entry_refuses_replacement BEFORE INSERT ON customer_entry
WHEN EXISTS (SELECT 1 FROM customer_entry WHERE entry_id = NEW.entry_id)
BEGIN SELECT RAISE(FAIL, 'customer_entry: a row is never replaced'); END;
DROP TRIGGER customer_note_refuses_replacement;
CREATE TRIGGER customer_note_refuses_replacement BEFORE INSERT ON customer_note
WHEN EXISTS (SELECT 1 FROM customer_note WHERE note_id = NEW.note_id)
BEGIN SELECT RAISE(FAIL, 'customer_note: a row is never replaced'); END;
DROP TRIGGER access_grant_refuses_replacement;
CREATE TRIGGER access_grant_refuses_replacement BEFORE INSERT ON access_grant
WHEN EXISTS (SELECT 1 FROM access_grant WHERE grant_id = NEW.grant_id)
BEGIN SELECT RAISE(FAIL, 'access_grant: a row is never replaced'); END;
DROP TRIGGER access_grant_revocation_refuses_replacement;
CREATE TRIGGER access_grant_revocation_refuses_replacement BEFORE INSERT ON access_grant_revocation
WHEN EXISTS (SELECT 1 FROM access_grant_revocation WHERE revocation_id = NEW.revocation_id)
BEGIN SELECT RAISE(FAIL, 'access_grant_revocation: a row is never replaced'); END;
DROP TRIGGER client_event_refuses_replacement;
CREATE TRIGGER client_event_refuses_replacement BEFORE INSERT ON client_event
WHEN EXISTS (SELECT 1 FROM client_event WHERE payload_id = NEW.payload_id)
BEGIN SELECT RAISE(FAIL, 'client_event: a row is never replaced'); END;
DROP TRIGGER line_identifier_refuses_replacement;
CREATE TRIGGER line_identifier_refuses_replacement BEFORE INSERT ON line_identifier
WHEN EXISTS (SELECT 1 FROM line_identifier WHERE identifier = NEW.identifier AND kind = NEW.kind AND line_id = NEW.line_id)
BEGIN SELECT RAISE(FAIL, 'line_identifier: a row is never replaced'); END;
DROP TRIGGER order_lookup_refuses_replacement;
CREATE TRIGGER order_lookup_refuses_replacement BEFORE INSERT ON order_lookup
WHEN EXISTS (SELECT 1 FROM order_lookup WHERE order_id = NEW.order_id AND payload_id = NEW.payload_id)
BEGIN SELECT RAISE(FAIL, 'order_lookup: a row is never replaced'); END;
DROP TRIGGER send_attempt_refuses_replacement;
CREATE TRIGGER send_attempt_refuses_replacement BEFORE INSERT ON send_attempt
WHEN EXISTS (SELECT 1 FROM send_attempt WHERE payload_id = NEW.payload_id AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(FAIL, 'send_attempt: a row is never replaced'); END;
DROP TRIGGER erasure_refuses_replacement;
CREATE TRIGGER erasure_refuses_replacement BEFORE INSERT ON erasure
WHEN EXISTS (SELECT 1 FROM erasure WHERE erasure_id = NEW.erasure_id)
BEGIN SELECT RAISE(FAIL, 'erasure: a row is never replaced'); END;
DROP TRIGGER erased_text_refuses_replacement;
CREATE TRIGGER erased_text_refuses_replacement BEFORE INSERT ON erased_text
WHEN EXISTS (SELECT 1 FROM erased_text WHERE kind = NEW.kind AND digest = NEW.digest AND erasure_id = NEW.erasure_id)
BEGIN SELECT RAISE(FAIL, 'erased_text: a row is never replaced'); END;
DROP TRIGGER text_form_refuses_replacement;
CREATE TRIGGER text_form_refuses_replacement BEFORE INSERT ON text_form
WHEN EXISTS (SELECT 1 FROM text_form WHERE form_id = NEW.form_id)
  OR EXISTS (SELECT 1 FROM text_form WHERE digest = NEW.digest)
BEGIN SELECT RAISE(FAIL, 'text_form: a row is never replaced'); END;
