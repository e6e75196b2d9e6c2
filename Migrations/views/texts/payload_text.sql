-- The whole text of each payload as it arrived, less secrets and receipts; of a signed one its decoded payload. For
-- people: no other view reads it.
CREATE VIEW payload_text AS
SELECT
  w.payload_id, w.digest,
  CASE
    WHEN NOT EXISTS (SELECT 1 FROM payload_part n WHERE n.payload_id = w.payload_id) THEN w.source
    ELSE (
      SELECT
        group_concat(piece, '')
          OVER (ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
      FROM (
        SELECT
          n.position,
          -- (Of an empty text SQLite's substr is NULL.)
          COALESCE(
            CAST(
              substr(
                CAST(w.source AS BLOB), LAG(n.position, 1, 0) OVER (ORDER BY n.position) + 1,
                n.position - LAG(n.position, 1, 0) OVER (ORDER BY n.position)
              ) AS TEXT
            ), ''
          ) || CASE
            WHEN p.header_id IS NULL
              THEN (SELECT t.source FROM payload_own_text t WHERE t.payload_id = n.part_id)
            ELSE (SELECT c.source FROM signed_payload_text c WHERE c.payload_id = n.part_id)
          END AS piece
        FROM payload_part n
        JOIN payload p ON p.payload_id = n.part_id
        WHERE n.payload_id = w.payload_id
        UNION ALL
        SELECT
          9223372036854775807,
          CAST(
            substr(
              CAST(w.source AS BLOB),
              (SELECT MAX(o.position) FROM payload_part o WHERE o.payload_id = w.payload_id) + 1
            ) AS TEXT
          )
      ) pieces
      LIMIT 1
    )
  END AS source
FROM payload_own_text w;
