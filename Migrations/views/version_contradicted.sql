-- Versions of transactions that rest on payloads which contradict themselves, and on no other: the same object in a
-- payload without contradictions, known by then, makes it sound (rules §6).
CREATE VIEW version_contradicted AS
SELECT DISTINCT known_at, line_id, version_id
FROM (
  SELECT
    a.known_at, v.line_id, v.version_id,
    MIN(i.is_contradictory) OVER (PARTITION BY a.known_at, v.line_id, v.statement_id) AS is_contradicted
  FROM asked_in_full a
  CROSS JOIN transaction_version v
  CROSS JOIN payload_instant i
  WHERE v.line_id = a.line_id AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at
) mentioned
WHERE is_contradicted = 1;
