-- A row per question and line: what the derivation answers. Shadowed to ask about some lines only.
CREATE VIEW asked AS
SELECT q.as_of, q.known_at, l.line_id
FROM question q CROSS JOIN line l;
