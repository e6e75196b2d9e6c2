-- The text of each transaction info, put together from its form and its values (see 0001_payloads). The digest is
-- hexadecimal, because tools that browse a file cannot show the bytes of a view.
CREATE VIEW transaction_info_text AS
SELECT
  w.transaction_info_id,
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
FROM transaction_info w LEFT JOIN text_form f ON f.form_id = w.form_id;
