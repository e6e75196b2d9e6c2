-- The whole text of each payload as it arrived, without secrets and receipts; of a signed one its decoded payload. For
-- people: no other view reads it. (A payload that holds others is a page, and holds no object by itself.)
CREATE VIEW payload_text AS
SELECT
  w.payload_id, w.digest,
  CASE
    WHEN NOT EXISTS (SELECT 1 FROM payload p WHERE p.payload_id = w.payload_id AND substr(p.layout, 1, 1) = 'p')
      THEN w.source
    ELSE (
      WITH RECURSIVE word (ordinal, byte_offset, byte_count, part_id, rest) AS (
        SELECT 0, 1, 0, 0, p.layout || ' ' FROM payload p WHERE p.payload_id = w.payload_id
        UNION ALL
        SELECT
          ordinal + 1, byte_offset + byte_count, CAST(substr(rest, 2) AS INTEGER),
          part_id + CAST(substr(rest, instr(rest, ',') + 1) AS INTEGER), substr(rest, instr(rest, ' ') + 1)
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
            (SELECT x.source FROM signed_payload_text x WHERE x.payload_id = part_id),
            (SELECT x.source FROM payload_own_text x WHERE x.payload_id = part_id), ''
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
FROM payload_own_text w;
