-- The text of each payload with the objects of Apple's in it, at their places, and without the payloads in it.
CREATE VIEW payload_own_text AS
SELECT
  w.payload_id, w.digest,
  CASE
    WHEN NOT EXISTS (SELECT 1 FROM payload_object_text o WHERE o.payload_id = w.payload_id) THEN w.source
    ELSE (
      SELECT
        group_concat(piece, '')
          OVER (ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
      FROM (
        SELECT
          p.position,
          -- (Of an empty text SQLite's substr is NULL.)
          COALESCE(
            CAST(
              substr(
                CAST(w.source AS BLOB), LAG(p.position, 1, 0) OVER (ORDER BY p.position) + 1,
                p.position - LAG(p.position, 1, 0) OVER (ORDER BY p.position)
              ) AS TEXT
            ), ''
          ) || CASE
            WHEN s.header_id IS NULL
              THEN (SELECT t.source FROM apple_object_text t WHERE t.apple_object_id = p.apple_object_id)
            ELSE (SELECT c.source FROM signed_apple_object_text c WHERE c.apple_object_id = p.apple_object_id)
          END AS piece
        FROM payload_object_text p
        JOIN apple_object s ON s.apple_object_id = p.apple_object_id
        WHERE p.payload_id = w.payload_id
        UNION ALL
        SELECT
          9223372036854775807,
          CAST(
            substr(
              CAST(w.source AS BLOB),
              (SELECT MAX(o.position) FROM payload_object_text o WHERE o.payload_id = w.payload_id) + 1
            ) AS TEXT
          )
      ) pieces
      LIMIT 1
    )
  END AS source
FROM payload_rest_text w;
