-- Evidence is sealed: whatever a program records in one transaction is listed, row by row, in a seal, whose digest is
-- taken over the digests of those rows and over the seal before. A row that is changed, removed or inserted behind the
-- ledger's back no longer agrees with the seals, and whoever keeps the last seal's digest elsewhere can prove that nothing
-- before it was changed, by anyone.
--
-- The digest of a row is the SHA-256 of: its table's name and a zero byte; then for each column that is not NULL, and that no
-- erasure may rewrite, its number from 0 (one byte), its type (1 integer, 2 real, 3 text, 4 blob; one byte) and its value:
-- integers and reals as eight bytes, others as their length in eight bytes and their bytes; and at last, where the table
-- has columns that an erasure may rewrite, the SHA-256 of those, written in the same way. All numbers are big-endian. A
-- column that a later step adds is NULL in older rows, and changes no digest.
--
-- What a lawful erasure rewrites keeps the digest of what it was in rewritten_row: so the chain stays whole, and whatever no
-- erasure may touch is proved to be as it was.

-- The tables that are sealed, by their numbers in seals. Beside them stand only what is derived (projections, and
-- line_identifier, which an audit compares with the statements) and what every file has (calendar_month).
CREATE TABLE sealed_table (
  table_number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO sealed_table VALUES
  (1, 'origin'), (2, 'jws_header'), (3, 'text_form'), (4, 'payload'), (5, 'delivery'), (6, 'payload_part'),
  (7, 'problem'), (8, 'receipt_data'), (9, 'quarantine'), (10, 'quarantine_bytes'), (11, 'quarantine_release'),
  (12, 'line'), (13, 'store_transaction'), (14, 'statement'), (15, 'transaction_statement'), (16, 'renewal_statement'),
  (17, 'transaction_version'), (18, 'renewal_version'), (19, 'status_claim'), (20, 'notification'),
  (21, 'app_transaction_statement'), (22, 'app_transaction_version'), (23, 'order_lookup'), (24, 'send_attempt'),
  (25, 'client_event'), (26, 'product_version'), (27, 'product_name'), (28, 'product_price'), (29, 'product_offer'),
  (30, 'product_entitlement_entry'), (31, 'customer'), (32, 'customer_entry'), (33, 'customer_note'),
  (34, 'access_grant'), (35, 'access_grant_revocation'), (36, 'erasure'), (37, 'erased_text'), (38, 'rewritten_row');

-- What an erasure may rewrite: texts, people's own ids, words, and the places in texts that move with them.
CREATE TABLE erasable_column (
  table_number INTEGER NOT NULL REFERENCES sealed_table,
  column_name TEXT NOT NULL,
  PRIMARY KEY (table_number, column_name)
) STRICT, WITHOUT ROWID;
INSERT INTO erasable_column VALUES
  (1, 'name'), (4, 'source'), (4, 'form_id'), (7, 'value'), (10, 'bytes'), (14, 'source'), (14, 'form_id'),
  (15, 'app_account_token'), (16, 'app_account_token'), (17, 'position'), (18, 'position'), (22, 'position'),
  (25, 'customer'), (25, 'app_account_token'), (25, 'queue'), (25, 'device'), (25, 'error_message'), (31, 'customer'),
  (32, 'identifier'), (32, 'reason'), (32, 'author'), (33, 'text'), (33, 'author'), (34, 'reason'), (34, 'author'),
  (35, 'reason'), (35, 'author');

-- Tables whose rows an erasure may remove: forms that named a person, places that moved, bytes and receipts.
CREATE TABLE erasable_table (
  table_number INTEGER PRIMARY KEY REFERENCES sealed_table
) STRICT;
INSERT INTO erasable_table VALUES (3), (6), (8), (10);

-- rows: for each table in the order of numbers: its number, how many rows, and for each of them the values of its
-- primary key and the first four bytes of its digest. Numbers are LEB128; an integer of a key is its difference from that
-- of the row before, zigzag; other values of a key have their length before them.
-- digest: the SHA-256 of the digest before (32 zero bytes for the first), seal_id in eight bytes, rows, and the whole
-- digests of the rows in that order.
CREATE TABLE seal (
  seal_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  row_count INTEGER NOT NULL,
  rows BLOB NOT NULL
) STRICT;

-- A row that an erasure rewrote or removed. row_key: as in seals, differences being from 0.
-- erased_digest: of a row that was rewritten, the SHA-256 of its columns that an erasure may rewrite, as they were; of one
-- that was removed, its whole digest.
CREATE TABLE rewritten_row (
  rewriting_id INTEGER PRIMARY KEY,
  erasure_id INTEGER NOT NULL REFERENCES erasure,
  table_number INTEGER NOT NULL REFERENCES sealed_table,
  row_key BLOB NOT NULL,
  erased_digest BLOB NOT NULL CHECK (length(erased_digest) = 32),
  -- The digest of the row as it is now; NULL where it was removed.
  digest BLOB CHECK (length(digest) = 32)
) STRICT;

CREATE TRIGGER sealed_table_refuses_update BEFORE UPDATE ON sealed_table
BEGIN SELECT RAISE(ABORT, 'sealed_table is never changed'); END;
CREATE TRIGGER sealed_table_refuses_delete BEFORE DELETE ON sealed_table
BEGIN SELECT RAISE(ABORT, 'sealed_table is never changed'); END;
CREATE TRIGGER sealed_table_refuses_replacement BEFORE INSERT ON sealed_table
WHEN EXISTS (SELECT 1 FROM sealed_table WHERE table_number = NEW.table_number OR name = NEW.name)
BEGIN SELECT RAISE(FAIL, 'sealed_table: a row is never replaced'); END;
CREATE TRIGGER erasable_column_refuses_update BEFORE UPDATE ON erasable_column
BEGIN SELECT RAISE(ABORT, 'erasable_column is never changed'); END;
CREATE TRIGGER erasable_column_refuses_delete BEFORE DELETE ON erasable_column
BEGIN SELECT RAISE(ABORT, 'erasable_column is never changed'); END;
CREATE TRIGGER erasable_column_refuses_replacement BEFORE INSERT ON erasable_column
WHEN EXISTS (SELECT 1 FROM erasable_column WHERE table_number = NEW.table_number AND column_name = NEW.column_name)
BEGIN SELECT RAISE(FAIL, 'erasable_column: a row is never replaced'); END;
CREATE TRIGGER erasable_table_refuses_update BEFORE UPDATE ON erasable_table
BEGIN SELECT RAISE(ABORT, 'erasable_table is never changed'); END;
CREATE TRIGGER erasable_table_refuses_delete BEFORE DELETE ON erasable_table
BEGIN SELECT RAISE(ABORT, 'erasable_table is never changed'); END;
CREATE TRIGGER erasable_table_refuses_replacement BEFORE INSERT ON erasable_table
WHEN EXISTS (SELECT 1 FROM erasable_table WHERE table_number = NEW.table_number)
BEGIN SELECT RAISE(FAIL, 'erasable_table: a row is never replaced'); END;
CREATE TRIGGER seal_refuses_update BEFORE UPDATE ON seal
BEGIN SELECT RAISE(ABORT, 'seal is evidence: it is appended to, never changed'); END;
CREATE TRIGGER seal_refuses_delete BEFORE DELETE ON seal
BEGIN SELECT RAISE(ABORT, 'seal is evidence: it is appended to, never changed'); END;
CREATE TRIGGER seal_refuses_replacement BEFORE INSERT ON seal
WHEN EXISTS (SELECT 1 FROM seal WHERE seal_id = NEW.seal_id)
BEGIN SELECT RAISE(FAIL, 'seal is evidence: a row is never replaced'); END;
CREATE TRIGGER rewritten_row_refuses_update BEFORE UPDATE ON rewritten_row
BEGIN SELECT RAISE(ABORT, 'rewritten_row is evidence: it is appended to, never changed'); END;
CREATE TRIGGER rewritten_row_refuses_delete BEFORE DELETE ON rewritten_row
BEGIN SELECT RAISE(ABORT, 'rewritten_row is evidence: it is appended to, never changed'); END;
CREATE TRIGGER rewritten_row_refuses_replacement BEFORE INSERT ON rewritten_row
WHEN EXISTS (SELECT 1 FROM rewritten_row WHERE rewriting_id = NEW.rewriting_id)
BEGIN SELECT RAISE(FAIL, 'rewritten_row is evidence: a row is never replaced'); END;
