-- One row for each query and payment queue. The program replaces this view to limit a query to some queues.
CREATE VIEW param_queue_scope AS
SELECT q.as_of, q.known_at, e.queue
FROM param_query q CROSS JOIN (SELECT DISTINCT queue FROM client_event) e;
