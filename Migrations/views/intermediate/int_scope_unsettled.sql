-- Where projection_original_transaction may not answer. The view may have too many rows of the query scope, and never
-- too few: int_scope_derived and its kin judge each of them. SQLite finds them by an index, and so a query does not
-- pass over the subscriptions that are answered. Where least_trust excludes evidence, every subscription is here.
--
-- In other engines this is param_scope itself.
CREATE VIEW int_scope_unsettled AS
SELECT q.as_of, q.known_at, u.original_transaction_key
FROM param_query q CROSS JOIN projection_gap u
UNION ALL
SELECT q.as_of, q.known_at, l.original_transaction_key
FROM param_query q CROSS JOIN projection_original_transaction l
WHERE
  CASE
    WHEN l.is_contradicted = 1 THEN 9223372036854775807
    WHEN l.last_recorded_at >= COALESCE(l.purchase_at, 0) AND l.last_recorded_at >= COALESCE(l.renewal_evidence_at, 0)
      THEN l.last_recorded_at
    WHEN COALESCE(l.purchase_at, 0) >= COALESCE(l.renewal_evidence_at, 0) THEN l.purchase_at
    ELSE l.renewal_evidence_at
  END > CASE WHEN q.least_trust > 0 THEN -1 WHEN q.as_of < q.known_at THEN q.as_of ELSE q.known_at END;
