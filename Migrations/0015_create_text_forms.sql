-- Texts of one kind are alike but for their values: the keys, the punctuation and what an app says of all its
-- customers stand in a form, once; a statement or payload with a form keeps only what is its own.
--
-- Each U+001F in a form's text is a place; `source` holds the values, U+001F between them, which no JSON text can
-- contain. Where form_id is NULL, `source` is the whole text. The views statement_text and payload_text put them together.
CREATE TABLE text_form (
  form_id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  text TEXT NOT NULL
) STRICT;

ALTER TABLE payload ADD COLUMN form_id INTEGER REFERENCES text_form;
ALTER TABLE statement ADD COLUMN form_id INTEGER REFERENCES text_form;

CREATE TRIGGER text_form_refuses_update BEFORE UPDATE ON text_form
BEGIN SELECT RAISE(ABORT, 'text_form is appended to, never changed'); END;
CREATE TRIGGER text_form_refuses_delete BEFORE DELETE ON text_form
BEGIN SELECT RAISE(ABORT, 'text_form is appended to, never changed'); END;
CREATE TRIGGER text_form_refuses_replacement BEFORE INSERT ON text_form
WHEN EXISTS (SELECT 1 FROM text_form WHERE form_id = NEW.form_id)
  OR EXISTS (SELECT 1 FROM text_form WHERE digest = NEW.digest)
BEGIN SELECT RAISE(ABORT, 'text_form: a row is never replaced'); END;
