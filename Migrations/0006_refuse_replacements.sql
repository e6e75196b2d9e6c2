-- INSERT OR REPLACE deletes without asking the triggers before it (unless a connection wishes otherwise): a row that
-- would take another's place is refused before that.

CREATE TRIGGER origin_refuses_replacement BEFORE INSERT ON origin
WHEN EXISTS (SELECT 1 FROM origin WHERE origin_id = NEW.origin_id)
  OR EXISTS (SELECT 1 FROM origin WHERE name = NEW.name)
BEGIN SELECT RAISE(ABORT, 'origin is evidence: a row is never replaced'); END;
CREATE TRIGGER jws_header_refuses_replacement BEFORE INSERT ON jws_header
WHEN EXISTS (SELECT 1 FROM jws_header WHERE header_id = NEW.header_id)
  OR EXISTS (SELECT 1 FROM jws_header WHERE digest = NEW.digest)
BEGIN SELECT RAISE(ABORT, 'jws_header is evidence: a row is never replaced'); END;
CREATE TRIGGER payload_refuses_replacement BEFORE INSERT ON payload
WHEN EXISTS (SELECT 1 FROM payload WHERE payload_id = NEW.payload_id)
  OR EXISTS (SELECT 1 FROM payload WHERE digest = NEW.digest)
BEGIN SELECT RAISE(ABORT, 'payload is evidence: a row is never replaced'); END;
CREATE TRIGGER delivery_refuses_replacement BEFORE INSERT ON delivery
WHEN EXISTS (SELECT 1 FROM delivery WHERE payload_id = NEW.payload_id AND received_at = NEW.received_at AND is_told = NEW.is_told)
BEGIN SELECT RAISE(ABORT, 'delivery is evidence: a row is never replaced'); END;
CREATE TRIGGER payload_part_refuses_replacement BEFORE INSERT ON payload_part
WHEN EXISTS (SELECT 1 FROM payload_part WHERE payload_id = NEW.payload_id AND position = NEW.position)
BEGIN SELECT RAISE(ABORT, 'payload_part is evidence: a row is never replaced'); END;
CREATE TRIGGER problem_refuses_replacement BEFORE INSERT ON problem
WHEN EXISTS (SELECT 1 FROM problem WHERE payload_id = NEW.payload_id AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(ABORT, 'problem is evidence: a row is never replaced'); END;
CREATE TRIGGER receipt_data_refuses_replacement BEFORE INSERT ON receipt_data
WHEN EXISTS (SELECT 1 FROM receipt_data WHERE digest = NEW.digest)
BEGIN SELECT RAISE(ABORT, 'receipt_data is evidence: a row is never replaced'); END;
CREATE TRIGGER quarantine_refuses_replacement BEFORE INSERT ON quarantine
WHEN EXISTS (SELECT 1 FROM quarantine WHERE quarantine_id = NEW.quarantine_id)
  OR EXISTS (SELECT 1 FROM quarantine WHERE digest = NEW.digest)
BEGIN SELECT RAISE(ABORT, 'quarantine is evidence: a row is never replaced'); END;
CREATE TRIGGER quarantine_bytes_refuses_replacement BEFORE INSERT ON quarantine_bytes
WHEN EXISTS (SELECT 1 FROM quarantine_bytes WHERE quarantine_id = NEW.quarantine_id AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(ABORT, 'quarantine_bytes is evidence: a row is never replaced'); END;
CREATE TRIGGER quarantine_release_refuses_replacement BEFORE INSERT ON quarantine_release
WHEN EXISTS (SELECT 1 FROM quarantine_release WHERE quarantine_id = NEW.quarantine_id)
BEGIN SELECT RAISE(ABORT, 'quarantine_release is evidence: a row is never replaced'); END;
CREATE TRIGGER line_refuses_replacement BEFORE INSERT ON line
WHEN EXISTS (SELECT 1 FROM line WHERE line_id = NEW.line_id)
  OR EXISTS (SELECT 1 FROM line WHERE original_transaction_id = NEW.original_transaction_id AND environment = NEW.environment)
BEGIN SELECT RAISE(ABORT, 'line is evidence: a row is never replaced'); END;
CREATE TRIGGER store_transaction_refuses_replacement BEFORE INSERT ON store_transaction
WHEN EXISTS (SELECT 1 FROM store_transaction WHERE transaction_key = NEW.transaction_key)
  OR EXISTS (SELECT 1 FROM store_transaction WHERE transaction_id = NEW.transaction_id AND line_id = NEW.line_id)
BEGIN SELECT RAISE(ABORT, 'store_transaction is evidence: a row is never replaced'); END;
CREATE TRIGGER statement_refuses_replacement BEFORE INSERT ON statement
WHEN EXISTS (SELECT 1 FROM statement WHERE statement_id = NEW.statement_id)
  OR EXISTS (SELECT 1 FROM statement WHERE digest = NEW.digest)
BEGIN SELECT RAISE(ABORT, 'statement is evidence: a row is never replaced'); END;
CREATE TRIGGER transaction_statement_refuses_replacement BEFORE INSERT ON transaction_statement
WHEN EXISTS (SELECT 1 FROM transaction_statement WHERE statement_id = NEW.statement_id)
BEGIN SELECT RAISE(ABORT, 'transaction_statement is evidence: a row is never replaced'); END;
CREATE TRIGGER renewal_statement_refuses_replacement BEFORE INSERT ON renewal_statement
WHEN EXISTS (SELECT 1 FROM renewal_statement WHERE statement_id = NEW.statement_id)
BEGIN SELECT RAISE(ABORT, 'renewal_statement is evidence: a row is never replaced'); END;
CREATE TRIGGER transaction_version_refuses_replacement BEFORE INSERT ON transaction_version
WHEN EXISTS (SELECT 1 FROM transaction_version WHERE version_id = NEW.version_id)
BEGIN SELECT RAISE(ABORT, 'transaction_version is evidence: a row is never replaced'); END;
CREATE TRIGGER renewal_version_refuses_replacement BEFORE INSERT ON renewal_version
WHEN EXISTS (SELECT 1 FROM renewal_version WHERE version_id = NEW.version_id)
BEGIN SELECT RAISE(ABORT, 'renewal_version is evidence: a row is never replaced'); END;
CREATE TRIGGER status_claim_refuses_replacement BEFORE INSERT ON status_claim
WHEN EXISTS (SELECT 1 FROM status_claim WHERE claim_id = NEW.claim_id)
BEGIN SELECT RAISE(ABORT, 'status_claim is evidence: a row is never replaced'); END;
CREATE TRIGGER notification_refuses_replacement BEFORE INSERT ON notification
WHEN EXISTS (SELECT 1 FROM notification WHERE payload_id = NEW.payload_id)
BEGIN SELECT RAISE(ABORT, 'notification is evidence: a row is never replaced'); END;
CREATE TRIGGER app_transaction_statement_refuses_replacement BEFORE INSERT ON app_transaction_statement
WHEN EXISTS (SELECT 1 FROM app_transaction_statement WHERE statement_id = NEW.statement_id)
BEGIN SELECT RAISE(ABORT, 'app_transaction_statement is evidence: a row is never replaced'); END;
CREATE TRIGGER app_transaction_version_refuses_replacement BEFORE INSERT ON app_transaction_version
WHEN EXISTS (SELECT 1 FROM app_transaction_version WHERE version_id = NEW.version_id)
BEGIN SELECT RAISE(ABORT, 'app_transaction_version is evidence: a row is never replaced'); END;
