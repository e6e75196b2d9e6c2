-- Every original transaction, with everything that was ever recorded. For searches over all evidence.
CREATE VIEW int_scope_all AS
SELECT
  CAST(9223372036854775807 AS BIGINT) AS as_of, CAST(9223372036854775807 AS BIGINT) AS known_at,
  original_transaction_key
FROM param_subscription;
