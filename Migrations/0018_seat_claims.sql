-- The seats that the app itself gives to members, where Apple does not (invitationManagement DEVELOPER). Apple states no
-- member of such a group, so the app's server is the record of it.

CREATE TABLE seat_claim (
  claim_id INTEGER PRIMARY KEY,
  customer_key INTEGER NOT NULL REFERENCES customer,
  original_transaction_key INTEGER NOT NULL REFERENCES original_transaction,
  seat_claim_id TEXT,
  claimed_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX seat_claim_of_customer ON seat_claim (customer_key);
CREATE INDEX seat_claim_of_original ON seat_claim (original_transaction_key);
CREATE INDEX seat_claim_of_id ON seat_claim (seat_claim_id);

CREATE TABLE seat_unclaim (
  unclaim_id INTEGER PRIMARY KEY,
  claim_id INTEGER NOT NULL REFERENCES seat_claim,
  unclaimed_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  salt INTEGER
) STRICT;
CREATE INDEX seat_unclaim_of_claim ON seat_unclaim (claim_id);
