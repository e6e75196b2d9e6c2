-- The text of each transaction info, put together from its form and its values (see 0001_payloads). The digest is
-- hexadecimal, because tools that browse a file cannot show the bytes of a view.
CREATE VIEW transaction_info_text AS
SELECT
  w.transaction_info_id,
  lower(hex(w.digest)) AS digest,
  CASE
    WHEN w.form_id IS NULL THEN w.source
    ELSE (
      -- `form` is the rest of the form after a place, `last` the value before it, `vals` the values after it.
      WITH RECURSIVE filled (text, form, last, vals) AS (
        SELECT
          substr(f.text, 1, instr(f.text || char(31), char(31)) - 1),
          substr(f.text || char(31), instr(f.text || char(31), char(31)) + 1), '', w.source || char(31)
        UNION ALL
        SELECT
          text || CASE substr(form, 1, 1)
            WHEN 'G'
              THEN strftime('%Y-%m-%d %H:%M:%S', substr(vals, 1, 10), 'unixepoch') || ' Etc/GMT'
            WHEN 'P' THEN strftime(
              '%Y-%m-%d %H:%M:%S',
              substr(last, 1, 10) - CASE
                WHEN substr(last, 1, 10) + 0 BETWEEN
                  strftime('%s', strftime('%Y', substr(last, 1, 10), 'unixepoch') || '-03-08', 'weekday 0') + 36000
                  AND strftime('%s', strftime('%Y', substr(last, 1, 10), 'unixepoch') || '-11-01', 'weekday 0') + 32399
                  THEN 25200
                ELSE 28800
              END, 'unixepoch'
            ) || ' America/Los_Angeles'
            ELSE substr(vals, 1, instr(vals, char(31)) - 1)
          END || substr(
            form, CASE WHEN substr(form, 1, 1) IN ('G', 'P') THEN 2 ELSE 1 END,
            instr(form, char(31)) - CASE WHEN substr(form, 1, 1) IN ('G', 'P') THEN 2 ELSE 1 END
          ),
          substr(form, instr(form, char(31)) + 1),
          CASE WHEN substr(form, 1, 1) IN ('G', 'P') THEN last ELSE substr(vals, 1, instr(vals, char(31)) - 1) END,
          CASE WHEN substr(form, 1, 1) IN ('G', 'P') THEN vals ELSE substr(vals, instr(vals, char(31)) + 1) END
        FROM filled WHERE form <> ''
      )
      SELECT text FROM filled WHERE form = ''
    )
  END AS source
FROM transaction_info w LEFT JOIN text_form f ON f.form_id = w.form_id;
