-- The questions that a line's one kept row does not answer: where something was recorded after K, where the head had
-- not begun yet, where renewal info was said after T, where a payload contradicts itself. (A line that holds one-time
-- purchases only never has a head.)
CREATE VIEW asked_unsettled AS
SELECT a.as_of, a.known_at, a.line_id
FROM asked a
LEFT JOIN line_kept l
  ON l.line_id = a.line_id AND l.last_recorded_at <= a.known_at AND COALESCE(l.purchase_at, 0) <= a.as_of
  AND COALESCE(l.renewal_evidence_at, 0) <= a.as_of AND l.is_contradicted = 0
WHERE l.line_id IS NULL;
