-- Seals: a chain of digests over everything that is recorded.
--
-- The program lists the rows that one transaction records in a seal. The digest of a seal covers the digests of those
-- rows and the digest of the seal before. A row that is changed, removed or inserted outside of the program no longer
-- agrees with the seals. Anyone who can write the file can rebuild the whole chain: store the last seal's digest
-- somewhere else, and `subledger audit --against` proves that nothing before it was changed.
--
-- The digest of a row is the SHA-256 of these bytes, all numbers big-endian:
--   1. the name of its table and a zero byte;
--   2. for each column that is not NULL and that no erasure may rewrite: its number from 0 (one byte), its type (1
-- integer,
--      2 real, 3 text, 4 blob; one byte) and its value: integers and reals as eight bytes, others as their length in
-- eight
--      bytes and their bytes;
--   3. where the table has columns that an erasure may rewrite: the SHA-256 of those, written in the same way.
-- A column that a later migration adds is NULL in older rows, and changes no digest.
--
-- An erasure records the digest of what each rewritten row was in rewritten_row. So the chain stays whole, and what no
-- erasure may rewrite is proved to be unchanged.

-- The sealed tables, by their numbers in seals. Other tables are derived (projections, and
-- original_transaction_identifier, which an audit compares with the transactions), or the same in every file
-- (calendar_month). The rows come from `manifest.sql`.
CREATE TABLE sealed_table (
  table_number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- What an erasure may rewrite: texts, ids of people, words of staff, and the positions in texts that move with them.
CREATE TABLE erasable_column (
  table_number INTEGER NOT NULL REFERENCES sealed_table,
  column_name TEXT NOT NULL,
  PRIMARY KEY (table_number, column_name)
) STRICT, WITHOUT ROWID;

-- Tables whose rows an erasure may remove: forms that name a person, parts whose positions move, bytes and receipts.
CREATE TABLE erasable_table (
  table_number INTEGER PRIMARY KEY REFERENCES sealed_table
) STRICT;

-- rows: for each table, in the order of numbers: its number, the count of rows, and for each row the values of its
-- primary key and the first four bytes of its digest. Numbers are LEB128. An integer of a key is stored as its
-- difference from the one in the row before, zigzag; other values of a key follow their length.
-- digest: the SHA-256 of the digest before (32 zero bytes for the first), seal_id in eight bytes, rows, and the whole
-- digests of the rows in that order.
CREATE TABLE seal (
  seal_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  row_count INTEGER NOT NULL,
  rows BLOB NOT NULL
) STRICT;

-- People who asked to be erased: a pseudonym replaced their ids everywhere. It is the one exception to append-only.
-- A rewritten text keeps its digest and the fact that its signature was verified; it cannot be verified again.
CREATE TABLE erasure (
  erasure_id INTEGER PRIMARY KEY,
  pseudonym TEXT NOT NULL,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL
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

-- A row that an erasure rewrote or removed. row_key: as in seals, with differences from 0.
-- erased_digest: of a rewritten row, the SHA-256 of its erasable columns as they were; of a removed row, its whole
-- digest.
CREATE TABLE rewritten_row (
  rewriting_id INTEGER PRIMARY KEY,
  erasure_id INTEGER NOT NULL REFERENCES erasure,
  table_number INTEGER NOT NULL REFERENCES sealed_table,
  row_key BLOB NOT NULL,
  erased_digest BLOB NOT NULL CHECK (length(erased_digest) = 32),
  -- The digest of the row as it is now; NULL where it was removed.
  digest BLOB CHECK (length(digest) = 32)
) STRICT;
