-- What a server keeps so that senders without a token cannot fill the file.

-- How much anonymous senders put into quarantine on each day, and how much more they sent.
CREATE TABLE anonymous_quarantine_day (
  -- The begin of a day of UTC.
  day INTEGER PRIMARY KEY,
  payload_count INTEGER NOT NULL,
  byte_count INTEGER NOT NULL,
  -- What was beyond the quota, or came while the disk was nearly full. Only its number, length and last digest remain.
  left_out_count INTEGER NOT NULL,
  left_out_byte_count INTEGER NOT NULL,
  last_left_out_digest BLOB CHECK (length(last_left_out_digest) = 32)
) STRICT;

-- Which run of the change feed the ids of its changes belong to. A restored file begins another one.
ALTER TABLE change_feed_position ADD COLUMN epoch TEXT NOT NULL DEFAULT '';
UPDATE change_feed_position SET epoch = lower(hex(randomblob(4)));
