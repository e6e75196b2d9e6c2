-- The newest evidence_at of anything that was said of a line and known (rules §6 and §7), and of what payloads say that do
-- not contradict themselves (sound_evidence_at). Versions and Apple's own status claims are all the kinds there are. (Of
-- a transaction's versions the current one is the newest.)
CREATE VIEW line_evidence AS
SELECT a.as_of, a.known_at, a.line_id, l.evidence_at, l.evidence_at AS sound_evidence_at
FROM asked_unsettled a
CROSS JOIN line_kept l
WHERE l.line_id = a.line_id AND l.last_recorded_at <= a.known_at AND l.is_contradicted = 0
UNION ALL
SELECT as_of, known_at, line_id, MAX(evidence_at), MAX(sound_evidence_at)
FROM (
  SELECT
    a.as_of, a.known_at, a.line_id, MAX(t.evidence_at) AS evidence_at, MAX(t.evidence_at) AS sound_evidence_at
  FROM asked_unsettled a CROSS JOIN line_kept l CROSS JOIN projection_transaction t
  WHERE l.line_id = a.line_id AND l.last_recorded_at > a.known_at AND l.is_contradicted = 0 AND t.line_id = a.line_id
    AND t.known_from <= a.known_at AND t.known_until > a.known_at
  GROUP BY a.as_of, a.known_at, a.line_id
  UNION ALL
  SELECT a.as_of, a.known_at, a.line_id, MAX(r.evidence_at), MAX(r.evidence_at)
  FROM asked_unsettled a CROSS JOIN line_kept l CROSS JOIN projection_renewal r
  WHERE l.line_id = a.line_id AND l.last_recorded_at > a.known_at AND l.is_contradicted = 0 AND r.line_id = a.line_id
    AND r.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.line_id
  UNION ALL
  SELECT
    a.as_of, a.known_at, a.line_id, MAX(COALESCE(c.signed_at, i.evidence_at)), MAX(COALESCE(c.signed_at, i.evidence_at))
  FROM asked_unsettled a CROSS JOIN line_kept l CROSS JOIN status_claim c CROSS JOIN payload_instant i
  WHERE l.line_id = a.line_id AND l.last_recorded_at > a.known_at AND l.is_contradicted = 0 AND c.line_id = a.line_id
    AND i.payload_id = c.payload_id AND i.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.line_id
  UNION ALL
  SELECT
    a.as_of, a.known_at, a.line_id, MAX(COALESCE(v.signed_at, i.evidence_at)),
    MAX(CASE WHEN i.is_contradictory = 0 THEN COALESCE(v.signed_at, i.evidence_at) END)
  FROM asked_in_full a CROSS JOIN transaction_version v CROSS JOIN payload_instant i
  WHERE v.line_id = a.line_id AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.line_id
  UNION ALL
  SELECT
    a.as_of, a.known_at, a.line_id, MAX(COALESCE(v.signed_at, i.evidence_at)),
    MAX(CASE WHEN i.is_contradictory = 0 THEN COALESCE(v.signed_at, i.evidence_at) END)
  FROM asked_in_full a CROSS JOIN renewal_version v CROSS JOIN payload_instant i
  WHERE v.line_id = a.line_id AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.line_id
  UNION ALL
  SELECT
    a.as_of, a.known_at, a.line_id, MAX(COALESCE(c.signed_at, i.evidence_at)),
    MAX(CASE WHEN i.is_contradictory = 0 THEN COALESCE(c.signed_at, i.evidence_at) END)
  FROM asked_in_full a CROSS JOIN status_claim c CROSS JOIN payload_instant i
  WHERE c.line_id = a.line_id AND i.payload_id = c.payload_id AND i.recorded_at <= a.known_at
  GROUP BY a.as_of, a.known_at, a.line_id
) said
GROUP BY as_of, known_at, line_id;
