-- The text of each payload with Apple's objects in it, at their positions, and without the payloads in it. A recursive
-- step reads one word of payload.layout; the pieces are joined once, in order.
CREATE VIEW payload_own_text AS
SELECT
  w.payload_id, w.digest,
  CASE
    WHEN p.layout IS NULL THEN w.source
    ELSE (
      WITH RECURSIVE word (ordinal, kind, byte_offset, byte_count, t_id, r_id, a_id, rest) AS (
        SELECT 0, '', 1, 0, 0, 0, 0, p.layout || ' '
        UNION ALL
        SELECT
          ordinal + 1, substr(rest, 1, 1), byte_offset + byte_count, CAST(substr(rest, 2) AS INTEGER),
          t_id + CASE substr(rest, 1, 1) WHEN 't' THEN CAST(substr(rest, instr(rest, ',') + 1) AS INTEGER) ELSE 0 END,
          r_id + CASE substr(rest, 1, 1) WHEN 'r' THEN CAST(substr(rest, instr(rest, ',') + 1) AS INTEGER) ELSE 0 END,
          a_id + CASE substr(rest, 1, 1) WHEN 'a' THEN CAST(substr(rest, instr(rest, ',') + 1) AS INTEGER) ELSE 0 END,
          substr(rest, instr(rest, ' ') + 1)
        FROM word
        WHERE rest <> ''
      )
      SELECT
        group_concat(piece, '') OVER (ORDER BY ordinal ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
      FROM (
        SELECT
          ordinal,
          -- (Of an empty text SQLite's substr is NULL.)
          COALESCE(CAST(substr(CAST(w.source AS BLOB), byte_offset, byte_count) AS TEXT), '') || COALESCE(
            CASE kind
              WHEN 't' THEN COALESCE(
                (SELECT x.source FROM signed_transaction_info_text x WHERE x.transaction_info_id = t_id),
                (SELECT x.source FROM transaction_info_text x WHERE x.transaction_info_id = t_id)
              )
              WHEN 'r' THEN COALESCE(
                (SELECT x.source FROM signed_renewal_info_text x WHERE x.renewal_info_id = r_id),
                (SELECT x.source FROM renewal_info_text x WHERE x.renewal_info_id = r_id)
              )
              WHEN 'a' THEN COALESCE(
                (SELECT x.source FROM signed_app_transaction_info_text x WHERE x.app_transaction_info_id = a_id),
                (SELECT x.source FROM app_transaction_info_text x WHERE x.app_transaction_info_id = a_id)
              )
            END, ''
          ) AS piece
        FROM word
        UNION ALL
        SELECT
          9223372036854775807,
          COALESCE(CAST(substr(CAST(w.source AS BLOB), MAX(byte_offset + byte_count)) AS TEXT), '')
        FROM word
      ) pieces
      LIMIT 1
    )
  END AS source
FROM payload_rest_text w
JOIN payload p ON p.payload_id = w.payload_id;
