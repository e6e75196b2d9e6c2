-- The questions that the projections do not answer: those that forget something recorded since, and all of them where
-- the projections are empty. The general text below them is the truth; see projection_line.
CREATE VIEW asked_generally AS
SELECT a.as_of, a.known_at, a.line_id
FROM asked a
LEFT JOIN projection_line l ON l.line_id = a.line_id AND l.last_recorded_at <= a.known_at
WHERE l.line_id IS NULL;
