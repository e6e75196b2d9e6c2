-- Seals: a hash chain over everything that is recorded.
--
-- A seal lists the rows that one database transaction records. Its digest covers the digests of these rows and the
-- digest of the seal before. A row that another program changed, removed or inserted does not match the seals. Anyone
-- who can write the file can also rebuild the whole chain. Store the last seal's digest somewhere else; `subledger
-- audit --against` then detects changes.
--
-- The digest of a row is the SHA-256 of these bytes. All numbers are big-endian.
--   1. The name of the table and a zero byte.
--   2. Each column that is not NULL and that no erasure may rewrite: its number from 0 (one byte), its type (one byte)
--      and its value. Types: 1 integer, 2 real, 3 text, 4 blob. Integers and reals are eight bytes.
--      The others are their length in eight bytes, then their bytes.
--   3. For each group of columns that an erasure may rewrite: the SHA-256 of the group's salt and its columns. They are
--      written in the same way. Each column with ids of people is a group of its own, in the order of the table. The
--      other erasable columns of the table are the last group.
-- The salt of a group is the SHA-256 of the row's `salt` (eight bytes) and the number of the group from 0 (one byte).
-- It is empty where `salt` is NULL. `salt` itself is not part of the bytes. A column that a later migration adds is
-- NULL in older rows, so it changes no digest.
--
-- An erasure destroys the salts of the rows that it rewrites: nobody can confirm a guess of an erased value. It records
-- in rewritten_row what proves the rest: the digests of the groups that it rewrote, and the salts of the others. An
-- audit then proves that all other values are those that were sealed, and that each rewritten id is a pseudonym.

-- The sealed tables, by their numbers in seals. The rows come from `data_dictionary.sql`. Other tables are derived, the same
-- in every file (calendar_month), or rows that a server stores about its own work. Projections,
-- original_transaction_identifier and customer_link_target are derived, and an audit compares them with the evidence.
CREATE TABLE sealed_table (
  table_number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- The columns that an erasure may rewrite: texts, personal ids, texts of staff, and positions in texts. These positions
-- change with the texts.
CREATE TABLE erasable_column (
  table_number INTEGER NOT NULL REFERENCES sealed_table,
  column_name TEXT NOT NULL,
  -- 1: the column holds an id of a person, and an erasure may write only its pseudonym there.
  is_identity INTEGER NOT NULL CHECK (is_identity IN (0, 1)),
  PRIMARY KEY (table_number, column_name)
) STRICT, WITHOUT ROWID;

-- The tables whose rows an erasure may remove: templates that name a person, quarantined bytes and receipts.
CREATE TABLE erasable_table (
  table_number INTEGER PRIMARY KEY REFERENCES sealed_table
) STRICT;

-- rows: for each table, in the order of numbers, its number and the count of its rows. For each row, the values of its
-- primary key and the first four bytes of its digest follow. Numbers are LEB128. An integer of a key is stored as its
-- difference from the row before, in zigzag encoding. Other values of a key follow their length.
--
-- digest: the SHA-256 of the digest before, seal_id in eight bytes, rows, and the complete digests of the rows in that
-- order. The digest before the first seal is 32 zero bytes.
CREATE TABLE seal (
  seal_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  row_count INTEGER NOT NULL,
  rows BLOB NOT NULL
) STRICT;

-- People who asked for erasure. A pseudonym replaces their ids everywhere. This is the only exception to append-only. A
-- rewritten text keeps its digest and the fact that its signature was verified. It cannot be verified again.
CREATE TABLE erasure (
  erasure_id INTEGER PRIMARY KEY,
  pseudonym TEXT NOT NULL,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  entered_at INTEGER NOT NULL
) STRICT;

-- The texts that an erasure rewrote, by the table that holds them.
CREATE TABLE erased_text (
  kind TEXT NOT NULL CHECK (
    kind IN ('payload', 'transaction_info', 'renewal_info', 'app_transaction_info', 'quarantine', 'receipt_data')
  ),
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  erasure_id INTEGER NOT NULL REFERENCES erasure,
  PRIMARY KEY (kind, digest, erasure_id)
) STRICT, WITHOUT ROWID;

-- A row that an erasure rewrote or removed. row_key is encoded as in seals, with differences from 0. former, of a
-- removed row, is its digest. Of a rewritten row it has 33 bytes for each group of erasable columns. They are 0 and the
-- salt of a group that the erasure left, or 1 and the digest of a group that it rewrote. A group that an earlier
-- erasure rewrote has 1 and zeros.
CREATE TABLE rewritten_row (
  rewriting_id INTEGER PRIMARY KEY,
  erasure_id INTEGER NOT NULL REFERENCES erasure,
  table_number INTEGER NOT NULL REFERENCES sealed_table,
  row_key BLOB NOT NULL,
  former BLOB NOT NULL CHECK (length(former) = 32 OR length(former) % 33 = 0),
  -- The present digest of the row. NULL: the row was removed.
  digest BLOB CHECK (length(digest) = 32)
) STRICT;
