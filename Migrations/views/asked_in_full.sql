-- The questions for which every payload about a line is looked at: where nothing is kept of the line, and where one of
-- its payloads contradicts itself.
CREATE VIEW asked_in_full AS
SELECT as_of, known_at, line_id FROM asked_generally
UNION ALL
SELECT a.as_of, a.known_at, a.line_id
FROM asked a
JOIN line_kept l ON l.line_id = a.line_id
WHERE l.is_contradicted = 1;
