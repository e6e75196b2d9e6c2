-- Evidence is appended and nothing else. Projections and views are free to change; these tables are not.

CREATE TRIGGER origin_refuses_update BEFORE UPDATE ON origin
BEGIN SELECT RAISE(ABORT, 'origin is evidence: it is appended to, never changed'); END;
CREATE TRIGGER origin_refuses_delete BEFORE DELETE ON origin
BEGIN SELECT RAISE(ABORT, 'origin is evidence: it is appended to, never changed'); END;
CREATE TRIGGER jws_header_refuses_update BEFORE UPDATE ON jws_header
BEGIN SELECT RAISE(ABORT, 'jws_header is evidence: it is appended to, never changed'); END;
CREATE TRIGGER jws_header_refuses_delete BEFORE DELETE ON jws_header
BEGIN SELECT RAISE(ABORT, 'jws_header is evidence: it is appended to, never changed'); END;
CREATE TRIGGER payload_refuses_update BEFORE UPDATE ON payload
BEGIN SELECT RAISE(ABORT, 'payload is evidence: it is appended to, never changed'); END;
CREATE TRIGGER payload_refuses_delete BEFORE DELETE ON payload
BEGIN SELECT RAISE(ABORT, 'payload is evidence: it is appended to, never changed'); END;
CREATE TRIGGER delivery_refuses_update BEFORE UPDATE ON delivery
BEGIN SELECT RAISE(ABORT, 'delivery is evidence: it is appended to, never changed'); END;
CREATE TRIGGER delivery_refuses_delete BEFORE DELETE ON delivery
BEGIN SELECT RAISE(ABORT, 'delivery is evidence: it is appended to, never changed'); END;
CREATE TRIGGER payload_part_refuses_update BEFORE UPDATE ON payload_part
BEGIN SELECT RAISE(ABORT, 'payload_part is evidence: it is appended to, never changed'); END;
CREATE TRIGGER payload_part_refuses_delete BEFORE DELETE ON payload_part
BEGIN SELECT RAISE(ABORT, 'payload_part is evidence: it is appended to, never changed'); END;
CREATE TRIGGER problem_refuses_update BEFORE UPDATE ON problem
BEGIN SELECT RAISE(ABORT, 'problem is evidence: it is appended to, never changed'); END;
CREATE TRIGGER problem_refuses_delete BEFORE DELETE ON problem
BEGIN SELECT RAISE(ABORT, 'problem is evidence: it is appended to, never changed'); END;
CREATE TRIGGER receipt_data_refuses_update BEFORE UPDATE ON receipt_data
BEGIN SELECT RAISE(ABORT, 'receipt_data is evidence: it is appended to, never changed'); END;
CREATE TRIGGER receipt_data_refuses_delete BEFORE DELETE ON receipt_data
BEGIN SELECT RAISE(ABORT, 'receipt_data is evidence: it is appended to, never changed'); END;
CREATE TRIGGER quarantine_refuses_update BEFORE UPDATE ON quarantine
BEGIN SELECT RAISE(ABORT, 'quarantine is evidence: it is appended to, never changed'); END;
CREATE TRIGGER quarantine_refuses_delete BEFORE DELETE ON quarantine
BEGIN SELECT RAISE(ABORT, 'quarantine is evidence: it is appended to, never changed'); END;
CREATE TRIGGER quarantine_bytes_refuses_update BEFORE UPDATE ON quarantine_bytes
BEGIN SELECT RAISE(ABORT, 'quarantine_bytes is evidence: it is appended to, never changed'); END;
CREATE TRIGGER quarantine_bytes_refuses_delete BEFORE DELETE ON quarantine_bytes
BEGIN SELECT RAISE(ABORT, 'quarantine_bytes is evidence: it is appended to, never changed'); END;
CREATE TRIGGER quarantine_release_refuses_update BEFORE UPDATE ON quarantine_release
BEGIN SELECT RAISE(ABORT, 'quarantine_release is evidence: it is appended to, never changed'); END;
CREATE TRIGGER quarantine_release_refuses_delete BEFORE DELETE ON quarantine_release
BEGIN SELECT RAISE(ABORT, 'quarantine_release is evidence: it is appended to, never changed'); END;
CREATE TRIGGER line_refuses_update BEFORE UPDATE ON line
BEGIN SELECT RAISE(ABORT, 'line is evidence: it is appended to, never changed'); END;
CREATE TRIGGER line_refuses_delete BEFORE DELETE ON line
BEGIN SELECT RAISE(ABORT, 'line is evidence: it is appended to, never changed'); END;
CREATE TRIGGER store_transaction_refuses_update BEFORE UPDATE ON store_transaction
BEGIN SELECT RAISE(ABORT, 'store_transaction is evidence: it is appended to, never changed'); END;
CREATE TRIGGER store_transaction_refuses_delete BEFORE DELETE ON store_transaction
BEGIN SELECT RAISE(ABORT, 'store_transaction is evidence: it is appended to, never changed'); END;
CREATE TRIGGER statement_refuses_update BEFORE UPDATE ON statement
BEGIN SELECT RAISE(ABORT, 'statement is evidence: it is appended to, never changed'); END;
CREATE TRIGGER statement_refuses_delete BEFORE DELETE ON statement
BEGIN SELECT RAISE(ABORT, 'statement is evidence: it is appended to, never changed'); END;
CREATE TRIGGER transaction_statement_refuses_update BEFORE UPDATE ON transaction_statement
BEGIN SELECT RAISE(ABORT, 'transaction_statement is evidence: it is appended to, never changed'); END;
CREATE TRIGGER transaction_statement_refuses_delete BEFORE DELETE ON transaction_statement
BEGIN SELECT RAISE(ABORT, 'transaction_statement is evidence: it is appended to, never changed'); END;
CREATE TRIGGER renewal_statement_refuses_update BEFORE UPDATE ON renewal_statement
BEGIN SELECT RAISE(ABORT, 'renewal_statement is evidence: it is appended to, never changed'); END;
CREATE TRIGGER renewal_statement_refuses_delete BEFORE DELETE ON renewal_statement
BEGIN SELECT RAISE(ABORT, 'renewal_statement is evidence: it is appended to, never changed'); END;
CREATE TRIGGER transaction_version_refuses_update BEFORE UPDATE ON transaction_version
BEGIN SELECT RAISE(ABORT, 'transaction_version is evidence: it is appended to, never changed'); END;
CREATE TRIGGER transaction_version_refuses_delete BEFORE DELETE ON transaction_version
BEGIN SELECT RAISE(ABORT, 'transaction_version is evidence: it is appended to, never changed'); END;
CREATE TRIGGER renewal_version_refuses_update BEFORE UPDATE ON renewal_version
BEGIN SELECT RAISE(ABORT, 'renewal_version is evidence: it is appended to, never changed'); END;
CREATE TRIGGER renewal_version_refuses_delete BEFORE DELETE ON renewal_version
BEGIN SELECT RAISE(ABORT, 'renewal_version is evidence: it is appended to, never changed'); END;
CREATE TRIGGER status_claim_refuses_update BEFORE UPDATE ON status_claim
BEGIN SELECT RAISE(ABORT, 'status_claim is evidence: it is appended to, never changed'); END;
CREATE TRIGGER status_claim_refuses_delete BEFORE DELETE ON status_claim
BEGIN SELECT RAISE(ABORT, 'status_claim is evidence: it is appended to, never changed'); END;
CREATE TRIGGER notification_refuses_update BEFORE UPDATE ON notification
BEGIN SELECT RAISE(ABORT, 'notification is evidence: it is appended to, never changed'); END;
CREATE TRIGGER notification_refuses_delete BEFORE DELETE ON notification
BEGIN SELECT RAISE(ABORT, 'notification is evidence: it is appended to, never changed'); END;
CREATE TRIGGER app_transaction_statement_refuses_update BEFORE UPDATE ON app_transaction_statement
BEGIN SELECT RAISE(ABORT, 'app_transaction_statement is evidence: it is appended to, never changed'); END;
CREATE TRIGGER app_transaction_statement_refuses_delete BEFORE DELETE ON app_transaction_statement
BEGIN SELECT RAISE(ABORT, 'app_transaction_statement is evidence: it is appended to, never changed'); END;
CREATE TRIGGER app_transaction_version_refuses_update BEFORE UPDATE ON app_transaction_version
BEGIN SELECT RAISE(ABORT, 'app_transaction_version is evidence: it is appended to, never changed'); END;
CREATE TRIGGER app_transaction_version_refuses_delete BEFORE DELETE ON app_transaction_version
BEGIN SELECT RAISE(ABORT, 'app_transaction_version is evidence: it is appended to, never changed'); END;
