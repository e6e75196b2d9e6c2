-- The access log with names: who read about whom, who made which change through the server, and when. No question limits
-- it.
CREATE VIEW access_log AS
SELECT
  e.entry_id, e.entered_at,
  CASE
    WHEN e.staff_user_key IS NOT NULL THEN 'support page'
    WHEN e.user_name IS NULL THEN 'subledger-server'
    ELSE 'subledger'
  END AS program,
  COALESCE(u.name, e.user_name, t.name, e.token_id) AS author,
  CASE WHEN e.token_id <> '' THEN e.token_id END AS token_id,
  e.operation,
  -- Every reading has the instants of a query.
  CASE WHEN e.as_of IS NULL THEN 0 ELSE 1 END AS is_read,
  e.customer, e.original_transaction_id, e.as_of, e.known_at, e.reason, e.result_count, e.request_id
FROM access_log_entry e
LEFT JOIN api_token t ON t.token_id = e.token_id
LEFT JOIN staff_user u ON u.staff_user_key = e.staff_user_key;
