-- The query scope that stored answers are not right for: something was recorded after known_at, some of the evidence is
-- not trusted enough, or the periods wait to be derived. Apple does not sign an order id, so it is never trusted enough.
CREATE VIEW int_scope_derived AS
SELECT q.as_of, q.known_at, s.original_transaction_key
FROM param_query q
CROSS JOIN param_subscription s
CROSS JOIN projection_original_transaction l
LEFT JOIN entitlement_period_gap g ON g.original_transaction_key = s.original_transaction_key
WHERE l.original_transaction_key = s.original_transaction_key
  AND (
    l.last_recorded_at > q.known_at OR l.weakest_trust < q.minimum_trust OR g.original_transaction_key IS NOT NULL
    OR q.minimum_trust > 0 AND EXISTS (
      SELECT 1 FROM original_transaction_identifier i
      WHERE i.original_transaction_key = s.original_transaction_key AND i.kind = 'order_id'
    )
  );
