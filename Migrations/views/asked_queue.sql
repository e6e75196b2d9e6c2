-- A row per question and payment queue. Shadowed to ask about some queues only.
CREATE VIEW asked_queue AS
SELECT q.as_of, q.known_at, e.queue
FROM question q CROSS JOIN (SELECT DISTINCT queue FROM client_event) e;
