-- Subscriptions that one buys for many. What Apple states about their seats stands beside its object, because few objects
-- state any.

-- What Apple stated of the seats of a transaction. The number of seats is transaction_info.quantity.
CREATE TABLE transaction_seat_info (
  transaction_info_id INTEGER PRIMARY KEY REFERENCES transaction_info,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  additional_transaction_reason TEXT,
  invitation_management TEXT,
  revoked_seat_quantity INTEGER
) STRICT;
-- For the few subscriptions with seats. All others are derived without reading this table for each transaction.
CREATE INDEX transaction_seat_info_of_original ON transaction_seat_info (original_transaction_key);

-- The seats that a transaction bought at each price. The quantities add up to transaction_info.quantity.
CREATE TABLE transaction_price_tier (
  transaction_info_id INTEGER NOT NULL REFERENCES transaction_info,
  ordinal INTEGER NOT NULL,
  price_milliunits INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  PRIMARY KEY (transaction_info_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What Apple stated of the seats at the next renewal.
CREATE TABLE renewal_seat_info (
  renewal_info_id INTEGER PRIMARY KEY REFERENCES renewal_info,
  renewal_quantity INTEGER
) STRICT;

-- The seats at each price at the next renewal.
CREATE TABLE renewal_price_tier (
  renewal_info_id INTEGER NOT NULL REFERENCES renewal_info,
  ordinal INTEGER NOT NULL,
  price_milliunits INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  PRIMARY KEY (renewal_info_id, ordinal)
) STRICT, WITHOUT ROWID;

-- The seat claims that Apple released, by notifications of the type UNCLAIM_SEATS.
CREATE TABLE unclaimed_seat (
  seat_claim_id TEXT NOT NULL,
  payload_id INTEGER NOT NULL REFERENCES payload,
  PRIMARY KEY (seat_claim_id, payload_id)
) STRICT, WITHOUT ROWID;
