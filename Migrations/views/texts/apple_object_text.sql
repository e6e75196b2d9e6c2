-- The text of each statement, put together from its form and its values (see 0001_payloads). Its digest is text,
-- because tools that browse a file stumble over bytes in a view.
CREATE VIEW apple_object_text AS
SELECT
  w.apple_object_id,
  lower(hex(w.digest)) AS digest,
  CASE
    WHEN w.form_id IS NULL THEN w.source
    ELSE (
      WITH RECURSIVE filled (text, form, vals) AS (
        SELECT '', f.text, w.source || char(31)
        UNION ALL
        SELECT
          text || substr(form, 1, instr(form, char(31)) - 1) || substr(vals, 1, instr(vals, char(31)) - 1),
          substr(form, instr(form, char(31)) + 1), substr(vals, instr(vals, char(31)) + 1)
        FROM filled WHERE instr(form, char(31)) > 0
      )
      SELECT text || form FROM filled WHERE instr(form, char(31)) = 0
    )
  END AS source
FROM apple_object w LEFT JOIN text_form f ON f.form_id = w.form_id;
