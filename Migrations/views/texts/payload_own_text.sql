-- The text of each payload with Apple's objects in it, at their positions, and without the payloads in it.
CREATE VIEW payload_own_text AS
SELECT
  w.payload_id, w.digest,
  CASE
    WHEN p.layout IS NULL THEN w.source
    ELSE (
      WITH RECURSIVE placed (text, rest, layout, object_id) AS (
        SELECT '', CAST(w.source AS BLOB), p.layout || ' ', 0
        UNION ALL
        SELECT
          -- (Of an empty text SQLite's substr is NULL.)
          text || COALESCE(CAST(substr(rest, 1, CAST(substr(layout, 2) AS INTEGER)) AS TEXT), '')
            || CASE substr(layout, 1, 1)
              WHEN 'o' THEN COALESCE(
                (
                  SELECT c.source FROM signed_apple_object_text c
                  WHERE c.apple_object_id = object_id + CAST(substr(layout, instr(layout, ',') + 1) AS INTEGER)
                ),
                (
                  SELECT t.source FROM apple_object_text t
                  WHERE t.apple_object_id = object_id + CAST(substr(layout, instr(layout, ',') + 1) AS INTEGER)
                )
              )
              ELSE ''
            END,
          substr(rest, CAST(substr(layout, 2) AS INTEGER) + 1), substr(layout, instr(layout, ' ') + 1),
          object_id + CASE substr(layout, 1, 1)
            WHEN 'o' THEN CAST(substr(layout, instr(layout, ',') + 1) AS INTEGER) ELSE 0
          END
        FROM placed
        WHERE layout <> ''
      )
      SELECT text || COALESCE(CAST(rest AS TEXT), '') FROM placed WHERE layout = ''
    )
  END AS source
FROM payload_rest_text w
JOIN payload p ON p.payload_id = w.payload_id;
