-- Looks at people by the command line are in the access log too.

-- The user's name on the machine of the command line. Then token_id is empty. NULL: a token asked.
ALTER TABLE access_log_entry ADD COLUMN user_name TEXT;
CREATE INDEX access_log_entry_of_original ON access_log_entry (original_transaction_id, recorded_at)
  WHERE original_transaction_id IS NOT NULL;
