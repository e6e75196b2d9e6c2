-- A row per question and payment queue. Shadowed to ask about some queues only.
CREATE VIEW param_queue_scope AS
SELECT q.as_of, q.known_at, e.queue
FROM param_query q CROSS JOIN (SELECT DISTINCT queue FROM client_event) e;
