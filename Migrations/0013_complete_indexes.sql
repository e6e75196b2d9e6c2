-- Two indexes that 0009 and 0010 did not have in their first days: a file made then is slow without them.
CREATE INDEX IF NOT EXISTS client_event_of_transaction ON client_event (transaction_id)
WHERE transaction_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS transaction_version_of_statement ON transaction_version (statement_id);
