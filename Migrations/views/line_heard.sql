-- The newest evidence_at of anything that was said of a line and known (rules §6 and §7), for every line; and of what
-- payloads say that do not contradict themselves.
CREATE VIEW line_heard AS
SELECT known_at, line_id, MAX(evidence_at) AS evidence_at, MAX(sound_evidence_at) AS sound_evidence_at
FROM (
  SELECT a.known_at, a.line_id, l.evidence_at, l.evidence_at AS sound_evidence_at
  FROM asked a
  CROSS JOIN line_kept l
  WHERE l.line_id = a.line_id AND l.last_recorded_at <= a.known_at AND l.is_contradicted = 0
  UNION ALL
  SELECT known_at, line_id, evidence_at, sound_evidence_at FROM line_evidence
) said
GROUP BY known_at, line_id;
