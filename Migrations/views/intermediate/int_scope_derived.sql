-- The query scope that entitlement_period does not answer: something was recorded after known_at, some of the evidence
-- is not trusted enough, or the periods wait to be derived.
CREATE VIEW int_scope_derived AS
SELECT q.as_of, q.known_at, s.original_transaction_key
FROM param_query q
CROSS JOIN param_subscription s
CROSS JOIN projection_original_transaction l
LEFT JOIN entitlement_period_gap g ON g.original_transaction_key = s.original_transaction_key
WHERE l.original_transaction_key = s.original_transaction_key
  AND (l.last_recorded_at > q.known_at OR l.least_trust < q.least_trust OR g.original_transaction_key IS NOT NULL);
