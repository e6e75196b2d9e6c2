-- When and by what a transaction was first heard of, as far as was known.
CREATE VIEW transaction_first AS
SELECT as_of, known_at, line_id, transaction_key, recorded_at, payload_id
FROM (
  SELECT
    a.as_of, a.known_at, v.line_id, v.transaction_key, i.recorded_at, v.payload_id,
    ROW_NUMBER() OVER (
      PARTITION BY a.as_of, a.known_at, v.transaction_key ORDER BY i.recorded_at, i.digest, v.version_id
    ) AS place
  FROM asked a
  CROSS JOIN transaction_version v
  CROSS JOIN payload_instant i
  WHERE v.line_id = a.line_id AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at
) heard
WHERE place = 1;
