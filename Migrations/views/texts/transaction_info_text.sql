-- The text of each transaction info, put together from its template and its values (see 0001_payloads). The digest is
-- hexadecimal, because tools that browse a file cannot show the bytes of a view.
CREATE VIEW transaction_info_text AS
SELECT
  w.transaction_info_id,
  lower(hex(w.digest)) AS digest,
  CASE
    WHEN w.template_id IS NULL THEN w.source
    ELSE (
      -- A step writes the value of one place and the text of the template behind it, and reads the value of the next
      -- place. `letter` and `value` are of the place; of G and P, `value` is the value before. `words` is the text
      -- behind a place G, which waits for the next value. `template` and `vals` are what is left.
      WITH RECURSIVE filled (text, letter, value, words, template, vals) AS (
        SELECT '', '', '', NULL, m.text || char(31), w.source || char(31)
        UNION ALL
        SELECT
          CASE letter
            WHEN 'G' THEN text
            WHEN 'P' THEN
              text || strftime(
                '%Y-%m-%d %H:%M:%S',
                substr(value, 1, 10) - CASE
                  WHEN substr(value, 1, 10) + 0 BETWEEN
                    strftime('%s', strftime('%Y', substr(value, 1, 10), 'unixepoch') || '-03-08', 'weekday 0') + 36000
                    AND strftime('%s', strftime('%Y', substr(value, 1, 10), 'unixepoch') || '-11-01', 'weekday 0') + 32399
                    THEN 25200
                  ELSE 28800
                END, 'unixepoch'
              ) || ' America/Los_Angeles' || substr(template, 1, instr(template, char(31)) - 1)
            ELSE
              text || COALESCE(
                strftime('%Y-%m-%d %H:%M:%S', substr(value, 1, 10), 'unixepoch') || ' Etc/GMT' || words, ''
              ) || value || substr(template, 1, instr(template, char(31)) - 1)
          END,
          CASE
            WHEN substr(template, instr(template, char(31)) + 1, 1) GLOB '[A-Za-z]'
              THEN substr(template, instr(template, char(31)) + 1, 1)
            ELSE ''
          END,
          CASE
            WHEN substr(template, instr(template, char(31)) + 1, 1) IN ('G', 'P') THEN value
            WHEN substr(template, instr(template, char(31)) + 1, 1) GLOB '[a-z]'
              THEN (
                SELECT v.value FROM transaction_info_value v
                WHERE v.transaction_info_id = w.transaction_info_id
                  AND v.letter = substr(template, instr(template, char(31)) + 1, 1)
              )
            ELSE substr(vals, 1, instr(vals, char(31)) - 1)
          END,
          CASE WHEN letter = 'G' THEN substr(template, 1, instr(template, char(31)) - 1) END,
          substr(
            template, instr(template, char(31))
              + CASE WHEN substr(template, instr(template, char(31)) + 1, 1) GLOB '[A-Za-z]' THEN 2 ELSE 1 END
          ),
          CASE
            WHEN substr(template, instr(template, char(31)) + 1, 1) GLOB '[A-Za-z]' THEN vals
            ELSE substr(vals, instr(vals, char(31)) + 1)
          END
        FROM filled WHERE template <> ''
      )
      SELECT text FROM filled WHERE template = ''
    )
  END AS source
FROM transaction_info w LEFT JOIN text_template m ON m.template_id = w.template_id;
