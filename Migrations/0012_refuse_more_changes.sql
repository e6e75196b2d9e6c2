-- The tables since 0006 are appended to and nothing else, like the evidence: see 0005 and 0006. Only the act of
-- forgetting a person lifts this, inside its own transaction; see 0011.
CREATE TRIGGER product_version_refuses_update BEFORE UPDATE ON product_version
BEGIN SELECT RAISE(ABORT, 'product_version is appended to, never changed'); END;
CREATE TRIGGER product_version_refuses_delete BEFORE DELETE ON product_version
BEGIN SELECT RAISE(ABORT, 'product_version is appended to, never changed'); END;
CREATE TRIGGER product_version_refuses_replacement BEFORE INSERT ON product_version
WHEN EXISTS (SELECT 1 FROM product_version WHERE version_id = NEW.version_id)
BEGIN SELECT RAISE(ABORT, 'product_version: a row is never replaced'); END;
CREATE TRIGGER product_name_refuses_update BEFORE UPDATE ON product_name
BEGIN SELECT RAISE(ABORT, 'product_name is appended to, never changed'); END;
CREATE TRIGGER product_name_refuses_delete BEFORE DELETE ON product_name
BEGIN SELECT RAISE(ABORT, 'product_name is appended to, never changed'); END;
CREATE TRIGGER product_name_refuses_replacement BEFORE INSERT ON product_name
WHEN EXISTS (SELECT 1 FROM product_name WHERE version_id = NEW.version_id AND locale = NEW.locale)
BEGIN SELECT RAISE(ABORT, 'product_name: a row is never replaced'); END;
CREATE TRIGGER product_price_refuses_update BEFORE UPDATE ON product_price
BEGIN SELECT RAISE(ABORT, 'product_price is appended to, never changed'); END;
CREATE TRIGGER product_price_refuses_delete BEFORE DELETE ON product_price
BEGIN SELECT RAISE(ABORT, 'product_price is appended to, never changed'); END;
CREATE TRIGGER product_price_refuses_replacement BEFORE INSERT ON product_price
WHEN EXISTS (SELECT 1 FROM product_price WHERE version_id = NEW.version_id AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(ABORT, 'product_price: a row is never replaced'); END;
CREATE TRIGGER product_offer_refuses_update BEFORE UPDATE ON product_offer
BEGIN SELECT RAISE(ABORT, 'product_offer is appended to, never changed'); END;
CREATE TRIGGER product_offer_refuses_delete BEFORE DELETE ON product_offer
BEGIN SELECT RAISE(ABORT, 'product_offer is appended to, never changed'); END;
CREATE TRIGGER product_offer_refuses_replacement BEFORE INSERT ON product_offer
WHEN EXISTS (SELECT 1 FROM product_offer WHERE version_id = NEW.version_id AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(ABORT, 'product_offer: a row is never replaced'); END;
CREATE TRIGGER product_entitlement_entry_refuses_update BEFORE UPDATE ON product_entitlement_entry
BEGIN SELECT RAISE(ABORT, 'product_entitlement_entry is appended to, never changed'); END;
CREATE TRIGGER product_entitlement_entry_refuses_delete BEFORE DELETE ON product_entitlement_entry
BEGIN SELECT RAISE(ABORT, 'product_entitlement_entry is appended to, never changed'); END;
CREATE TRIGGER product_entitlement_entry_refuses_replacement BEFORE INSERT ON product_entitlement_entry
WHEN EXISTS (SELECT 1 FROM product_entitlement_entry WHERE entry_id = NEW.entry_id)
BEGIN SELECT RAISE(ABORT, 'product_entitlement_entry: a row is never replaced'); END;
CREATE TRIGGER calendar_month_refuses_update BEFORE UPDATE ON calendar_month
BEGIN SELECT RAISE(ABORT, 'calendar_month is appended to, never changed'); END;
CREATE TRIGGER calendar_month_refuses_delete BEFORE DELETE ON calendar_month
BEGIN SELECT RAISE(ABORT, 'calendar_month is appended to, never changed'); END;
CREATE TRIGGER calendar_month_refuses_replacement BEFORE INSERT ON calendar_month
WHEN EXISTS (SELECT 1 FROM calendar_month WHERE month_number = NEW.month_number)
BEGIN SELECT RAISE(ABORT, 'calendar_month: a row is never replaced'); END;
CREATE TRIGGER customer_refuses_update BEFORE UPDATE ON customer
BEGIN SELECT RAISE(ABORT, 'customer is appended to, never changed'); END;
CREATE TRIGGER customer_refuses_delete BEFORE DELETE ON customer
BEGIN SELECT RAISE(ABORT, 'customer is appended to, never changed'); END;
CREATE TRIGGER customer_refuses_replacement BEFORE INSERT ON customer
WHEN EXISTS (SELECT 1 FROM customer WHERE customer_key = NEW.customer_key)
  OR EXISTS (SELECT 1 FROM customer WHERE customer = NEW.customer)
BEGIN SELECT RAISE(ABORT, 'customer: a row is never replaced'); END;
CREATE TRIGGER customer_entry_refuses_update BEFORE UPDATE ON customer_entry
BEGIN SELECT RAISE(ABORT, 'customer_entry is appended to, never changed'); END;
CREATE TRIGGER customer_entry_refuses_delete BEFORE DELETE ON customer_entry
BEGIN SELECT RAISE(ABORT, 'customer_entry is appended to, never changed'); END;
CREATE TRIGGER customer_entry_refuses_replacement BEFORE INSERT ON customer_entry
WHEN EXISTS (SELECT 1 FROM customer_entry WHERE entry_id = NEW.entry_id)
BEGIN SELECT RAISE(ABORT, 'customer_entry: a row is never replaced'); END;
CREATE TRIGGER customer_note_refuses_update BEFORE UPDATE ON customer_note
BEGIN SELECT RAISE(ABORT, 'customer_note is appended to, never changed'); END;
CREATE TRIGGER customer_note_refuses_delete BEFORE DELETE ON customer_note
BEGIN SELECT RAISE(ABORT, 'customer_note is appended to, never changed'); END;
CREATE TRIGGER customer_note_refuses_replacement BEFORE INSERT ON customer_note
WHEN EXISTS (SELECT 1 FROM customer_note WHERE note_id = NEW.note_id)
BEGIN SELECT RAISE(ABORT, 'customer_note: a row is never replaced'); END;
CREATE TRIGGER access_grant_refuses_update BEFORE UPDATE ON access_grant
BEGIN SELECT RAISE(ABORT, 'access_grant is appended to, never changed'); END;
CREATE TRIGGER access_grant_refuses_delete BEFORE DELETE ON access_grant
BEGIN SELECT RAISE(ABORT, 'access_grant is appended to, never changed'); END;
CREATE TRIGGER access_grant_refuses_replacement BEFORE INSERT ON access_grant
WHEN EXISTS (SELECT 1 FROM access_grant WHERE grant_id = NEW.grant_id)
BEGIN SELECT RAISE(ABORT, 'access_grant: a row is never replaced'); END;
CREATE TRIGGER access_grant_revocation_refuses_update BEFORE UPDATE ON access_grant_revocation
BEGIN SELECT RAISE(ABORT, 'access_grant_revocation is appended to, never changed'); END;
CREATE TRIGGER access_grant_revocation_refuses_delete BEFORE DELETE ON access_grant_revocation
BEGIN SELECT RAISE(ABORT, 'access_grant_revocation is appended to, never changed'); END;
CREATE TRIGGER access_grant_revocation_refuses_replacement BEFORE INSERT ON access_grant_revocation
WHEN EXISTS (SELECT 1 FROM access_grant_revocation WHERE revocation_id = NEW.revocation_id)
BEGIN SELECT RAISE(ABORT, 'access_grant_revocation: a row is never replaced'); END;
CREATE TRIGGER client_event_refuses_update BEFORE UPDATE ON client_event
BEGIN SELECT RAISE(ABORT, 'client_event is appended to, never changed'); END;
CREATE TRIGGER client_event_refuses_delete BEFORE DELETE ON client_event
BEGIN SELECT RAISE(ABORT, 'client_event is appended to, never changed'); END;
CREATE TRIGGER client_event_refuses_replacement BEFORE INSERT ON client_event
WHEN EXISTS (SELECT 1 FROM client_event WHERE payload_id = NEW.payload_id)
BEGIN SELECT RAISE(ABORT, 'client_event: a row is never replaced'); END;
CREATE TRIGGER line_identifier_refuses_update BEFORE UPDATE ON line_identifier
BEGIN SELECT RAISE(ABORT, 'line_identifier is appended to, never changed'); END;
CREATE TRIGGER line_identifier_refuses_delete BEFORE DELETE ON line_identifier
BEGIN SELECT RAISE(ABORT, 'line_identifier is appended to, never changed'); END;
CREATE TRIGGER line_identifier_refuses_replacement BEFORE INSERT ON line_identifier
WHEN EXISTS (SELECT 1 FROM line_identifier WHERE identifier = NEW.identifier AND kind = NEW.kind AND line_id = NEW.line_id)
BEGIN SELECT RAISE(ABORT, 'line_identifier: a row is never replaced'); END;
CREATE TRIGGER order_lookup_refuses_update BEFORE UPDATE ON order_lookup
BEGIN SELECT RAISE(ABORT, 'order_lookup is appended to, never changed'); END;
CREATE TRIGGER order_lookup_refuses_delete BEFORE DELETE ON order_lookup
BEGIN SELECT RAISE(ABORT, 'order_lookup is appended to, never changed'); END;
CREATE TRIGGER order_lookup_refuses_replacement BEFORE INSERT ON order_lookup
WHEN EXISTS (SELECT 1 FROM order_lookup WHERE order_id = NEW.order_id AND payload_id = NEW.payload_id)
BEGIN SELECT RAISE(ABORT, 'order_lookup: a row is never replaced'); END;
CREATE TRIGGER send_attempt_refuses_update BEFORE UPDATE ON send_attempt
BEGIN SELECT RAISE(ABORT, 'send_attempt is appended to, never changed'); END;
CREATE TRIGGER send_attempt_refuses_delete BEFORE DELETE ON send_attempt
BEGIN SELECT RAISE(ABORT, 'send_attempt is appended to, never changed'); END;
CREATE TRIGGER send_attempt_refuses_replacement BEFORE INSERT ON send_attempt
WHEN EXISTS (SELECT 1 FROM send_attempt WHERE payload_id = NEW.payload_id AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(ABORT, 'send_attempt: a row is never replaced'); END;
CREATE TRIGGER erasure_refuses_update BEFORE UPDATE ON erasure
BEGIN SELECT RAISE(ABORT, 'erasure is appended to, never changed'); END;
CREATE TRIGGER erasure_refuses_delete BEFORE DELETE ON erasure
BEGIN SELECT RAISE(ABORT, 'erasure is appended to, never changed'); END;
CREATE TRIGGER erasure_refuses_replacement BEFORE INSERT ON erasure
WHEN EXISTS (SELECT 1 FROM erasure WHERE erasure_id = NEW.erasure_id)
BEGIN SELECT RAISE(ABORT, 'erasure: a row is never replaced'); END;
CREATE TRIGGER erased_text_refuses_update BEFORE UPDATE ON erased_text
BEGIN SELECT RAISE(ABORT, 'erased_text is appended to, never changed'); END;
CREATE TRIGGER erased_text_refuses_delete BEFORE DELETE ON erased_text
BEGIN SELECT RAISE(ABORT, 'erased_text is appended to, never changed'); END;
CREATE TRIGGER erased_text_refuses_replacement BEFORE INSERT ON erased_text
WHEN EXISTS (SELECT 1 FROM erased_text WHERE kind = NEW.kind AND digest = NEW.digest AND erasure_id = NEW.erasure_id)
BEGIN SELECT RAISE(ABORT, 'erased_text: a row is never replaced'); END;
