-- The renewal versions that a question may have to choose among: of a line whose last renewal version is no later than
-- T, that one alone (and its equals in time); else all that are known.
CREATE VIEW renewal_candidate AS
SELECT a.as_of, a.known_at, a.line_id, r.version_id, r.evidence_at
FROM asked_unsettled a
CROSS JOIN projection_line l
CROSS JOIN projection_renewal r
WHERE l.line_id = a.line_id AND l.last_recorded_at <= a.known_at AND l.renewal_evidence_at <= a.as_of
  AND r.line_id = a.line_id AND r.evidence_at = l.renewal_evidence_at
UNION ALL
SELECT a.as_of, a.known_at, a.line_id, r.version_id, r.evidence_at
FROM asked_unsettled a
CROSS JOIN projection_line l
CROSS JOIN projection_renewal r
WHERE l.line_id = a.line_id AND l.last_recorded_at <= a.known_at AND l.renewal_evidence_at > a.as_of
  AND r.line_id = a.line_id
UNION ALL
SELECT a.as_of, a.known_at, a.line_id, v.version_id, COALESCE(v.signed_at, i.evidence_at)
FROM asked_generally a
CROSS JOIN renewal_version v
CROSS JOIN payload_instant i
WHERE v.line_id = a.line_id AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at;
