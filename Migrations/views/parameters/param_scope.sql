-- A row per question and line: what the derivation answers. Shadowed to ask about some lines only.
CREATE VIEW param_scope AS
SELECT q.as_of, q.known_at, l.original_transaction_key
FROM param_query q CROSS JOIN original_transaction l;
