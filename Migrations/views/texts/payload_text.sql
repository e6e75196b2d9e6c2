-- The whole text of each payload as it arrived, without secrets and receipts; of a signed one its decoded payload. For
-- people: no other view reads it. (A payload that holds others is a page, and holds no object by itself.)
CREATE VIEW payload_text AS
SELECT
  w.payload_id, w.digest,
  CASE
    WHEN NOT EXISTS (SELECT 1 FROM payload p WHERE p.payload_id = w.payload_id AND substr(p.layout, 1, 1) = 'p')
      THEN w.source
    ELSE (
      WITH RECURSIVE placed (text, rest, layout, part_id) AS (
        SELECT '', CAST(w.source AS BLOB), p.layout || ' ', 0 FROM payload p WHERE p.payload_id = w.payload_id
        UNION ALL
        SELECT
          -- (Of an empty text SQLite's substr is NULL.)
          text || COALESCE(CAST(substr(rest, 1, CAST(substr(layout, 2) AS INTEGER)) AS TEXT), '')
            || COALESCE(
              (
                SELECT c.source FROM signed_payload_text c
                WHERE c.payload_id = part_id + CAST(substr(layout, instr(layout, ',') + 1) AS INTEGER)
              ),
              (
                SELECT t.source FROM payload_own_text t
                WHERE t.payload_id = part_id + CAST(substr(layout, instr(layout, ',') + 1) AS INTEGER)
              )
            ),
          substr(rest, CAST(substr(layout, 2) AS INTEGER) + 1), substr(layout, instr(layout, ' ') + 1),
          part_id + CAST(substr(layout, instr(layout, ',') + 1) AS INTEGER)
        FROM placed
        WHERE layout <> ''
      )
      SELECT text || COALESCE(CAST(rest AS TEXT), '') FROM placed WHERE layout = ''
    )
  END AS source
FROM payload_own_text w;
