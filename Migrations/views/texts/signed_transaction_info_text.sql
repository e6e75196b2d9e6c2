-- The compact form of each signed text: header, payload and signature, the last two in Base64 URL, joined by dots. SQL
-- has no function for that: three bytes are six hexadecimal digits, and those are four letters. App receipts are signed
-- in another form.
CREATE VIEW signed_transaction_info_text AS
SELECT
  w.transaction_info_id,
  h.text || '.' || (
    WITH RECURSIVE coded (part, data, byte_offset) AS (
      SELECT 1, CAST(t.source AS BLOB), 1
      UNION ALL
      SELECT 2, w.signature, 1
      UNION ALL
      SELECT part, data, byte_offset + 3 FROM coded WHERE byte_offset + 3 <= length(data)
    ),
    hexed (part, byte_offset, byte_count, digits) AS MATERIALIZED (
      SELECT part, byte_offset, min(length(data) - byte_offset + 1, 3), hex(substr(data, byte_offset,
        3)) || '0000' FROM coded
    ),
    digit (part, byte_offset, byte_count, d1, d2, d3, d4, d5, d6) AS MATERIALIZED (
      SELECT
        part, byte_offset, byte_count,
        instr('123456789ABCDEF', substr(digits, 1, 1)), instr('123456789ABCDEF', substr(digits, 2, 1)),
        instr('123456789ABCDEF', substr(digits, 3, 1)), instr('123456789ABCDEF', substr(digits, 4, 1)),
        instr('123456789ABCDEF', substr(digits, 5, 1)), instr('123456789ABCDEF', substr(digits, 6, 1))
      FROM hexed
    ),
    letter (part, byte_offset, text) AS (
      SELECT
        d.part, d.byte_offset,
        substr(
          substr(a.letters, d1 * 4 + d2 / 4 + 1, 1) || substr(a.letters, d2 % 4 * 16 + d3 + 1, 1)
            || substr(a.letters, d4 * 4 + d5 / 4 + 1, 1) || substr(a.letters, d5 % 4 * 16 + d6 + 1, 1),
          1, byte_count + 1)
      FROM digit d
      CROSS JOIN (SELECT 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_' AS letters) a
      UNION ALL
      SELECT 2, 0, '.'
    )
    SELECT
      group_concat(text, '') OVER (ORDER BY part, byte_offset ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    FROM letter
    LIMIT 1
  ) AS source
FROM transaction_info w
JOIN jws_header h ON h.header_id = w.header_id
JOIN transaction_info_text t ON t.transaction_info_id = w.transaction_info_id
WHERE substr(h.text, 1, 6) <> 'pkcs7.';
