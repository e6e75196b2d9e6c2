-- The newest evidence_at of anything that was said of a line and known (rules §6 and §7). Versions and Apple's own
-- status claims are all the kinds there are.
CREATE VIEW line_evidence AS
SELECT a.as_of, a.known_at, a.line_id, l.evidence_at
FROM asked_unsettled a
CROSS JOIN projection_line l
WHERE l.line_id = a.line_id AND l.last_recorded_at <= a.known_at
UNION ALL
SELECT as_of, known_at, line_id, MAX(evidence_at)
FROM (
  SELECT a.as_of, a.known_at, a.line_id, COALESCE(v.signed_at, i.evidence_at) AS evidence_at
  FROM asked_generally a CROSS JOIN transaction_version v CROSS JOIN payload_instant i
  WHERE v.line_id = a.line_id AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at
  UNION ALL
  SELECT a.as_of, a.known_at, a.line_id, COALESCE(v.signed_at, i.evidence_at)
  FROM asked_generally a CROSS JOIN renewal_version v CROSS JOIN payload_instant i
  WHERE v.line_id = a.line_id AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at
  UNION ALL
  SELECT a.as_of, a.known_at, a.line_id, COALESCE(c.signed_at, i.evidence_at)
  FROM asked_generally a CROSS JOIN status_claim c CROSS JOIN payload_instant i
  WHERE c.line_id = a.line_id AND i.payload_id = c.payload_id AND i.recorded_at <= a.known_at
) said
GROUP BY as_of, known_at, line_id;
