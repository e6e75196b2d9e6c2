-- Every renewal version that was known, with its instants, by the general text.
CREATE VIEW renewal_derived AS
SELECT
  a.as_of, a.known_at, a.line_id, v.version_id, COALESCE(v.signed_at, i.evidence_at) AS evidence_at, i.recorded_at
FROM asked_generally a
CROSS JOIN renewal_version v
CROSS JOIN payload_instant i
WHERE v.line_id = a.line_id AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at;
