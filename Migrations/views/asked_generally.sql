-- The questions that the projections do not answer: about lines of which nothing is kept for them, and so about all of
-- them where the projections are empty. The general text below them is the truth.
CREATE VIEW asked_generally AS
SELECT a.as_of, a.known_at, a.line_id
FROM asked a
LEFT JOIN line_kept l ON l.line_id = a.line_id
WHERE l.line_id IS NULL;
