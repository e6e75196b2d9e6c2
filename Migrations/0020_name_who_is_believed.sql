-- Who is believed, and for which app: so that every question can be asked of signed evidence alone, an answer names an
-- authority that is not Apple's, and what one app sold grants nothing in another.

-- The root certificates that signatures lead to.
CREATE TABLE root_certificate (
  root_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  name TEXT NOT NULL,
  -- 1: Apple Root CA G3. 0: a root that was added with --trust.
  is_apple INTEGER NOT NULL CHECK (is_apple IN (0, 1))
) STRICT;
INSERT INTO sealed_table VALUES (42, 'root_certificate');

CREATE TRIGGER root_certificate_refuses_update BEFORE UPDATE ON root_certificate
BEGIN SELECT RAISE(ABORT, 'root_certificate is evidence: it is appended to, never changed'); END;
CREATE TRIGGER root_certificate_refuses_delete BEFORE DELETE ON root_certificate
BEGIN SELECT RAISE(ABORT, 'root_certificate is evidence: it is appended to, never changed'); END;
CREATE TRIGGER root_certificate_refuses_replacement BEFORE INSERT ON root_certificate
WHEN EXISTS (SELECT 1 FROM root_certificate WHERE root_id = NEW.root_id OR digest = NEW.digest)
BEGIN SELECT RAISE(FAIL, 'root_certificate is evidence: a row is never replaced'); END;

-- The root by which everything signed in the payload is believed; NULL where anything in it is not signed. (It was not
-- noted of what was recorded before this step.)
ALTER TABLE payload ADD COLUMN root_id INTEGER REFERENCES root_certificate;

-- The least that anything said of the line is trusted: 0 not signed, 1 signed, 2 signed by Apple. Where a question asks for
-- more, the line is read in full.
ALTER TABLE projection_line ADD COLUMN least_trust INTEGER NOT NULL DEFAULT 0 CHECK (least_trust IN (0, 1, 2));
DELETE FROM projection_line;
DELETE FROM projection_transaction;
DELETE FROM projection_renewal;

-- The app that a product belongs to: two apps may sell products of one id. (A catalogue of before belongs to no app until
-- it is imported again.)
ALTER TABLE product_version ADD COLUMN bundle_id TEXT;
ALTER TABLE product_entitlement_entry ADD COLUMN bundle_id TEXT;
