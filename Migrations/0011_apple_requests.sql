-- What is asked of Apple: every request and what became of it, and the questions that are still open. A server also
-- walks Apple's history of notifications.

-- Every request that was sent to Apple, in the transaction that records its answer.
CREATE TABLE apple_request (
  request_id INTEGER PRIMARY KEY,
  -- What asked: command, notification_history, or the reason of an open_question.
  occasion TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  environment TEXT NOT NULL,
  bundle_id TEXT NOT NULL,
  -- The id that the request was about: of a transaction, an order or a test notification. NULL: it was about none.
  subject TEXT,
  asked_at INTEGER NOT NULL,
  duration_milliseconds INTEGER NOT NULL,
  -- NULL: no answer came.
  http_status INTEGER,
  -- Apple's errorCode, or the status of verifyReceipt. NULL: the answer has none.
  error_code INTEGER,
  verdict TEXT NOT NULL,
  -- How many payloads the answer had, and how many of them the ledger did not have before.
  payload_count INTEGER NOT NULL,
  recorded_count INTEGER NOT NULL
) STRICT;
CREATE INDEX apple_request_of_instant ON apple_request (asked_at);

-- How far the history of an app's notifications has been walked, and the walk in progress.
CREATE TABLE notification_history_walk (
  bundle_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  -- NULL: no walk has ended.
  walked_until INTEGER,
  -- The window of the walk in progress, and where its next page begins. NULL: no walk is in progress.
  begins_at INTEGER,
  ends_at INTEGER,
  cursor TEXT,
  -- Of the walk in progress, or of the last one: what it found.
  notification_count INTEGER NOT NULL,
  missed_count INTEGER NOT NULL,
  lost_count INTEGER NOT NULL,
  advanced_at INTEGER NOT NULL,
  PRIMARY KEY (bundle_id, environment)
) STRICT, WITHOUT ROWID;

-- The questions to Apple that are still open. Who asks removes a question when it is answered.
CREATE TABLE open_question (
  question_id INTEGER PRIMARY KEY,
  -- unconfirmed, ended, payment_failed, missing_transactions, posted_transaction, posted_receipt, refund,
  -- refund_reversal or sharing.
  reason TEXT NOT NULL,
  -- The transaction id to ask about, or the digest of the receipt in hexadecimal digits.
  subject TEXT NOT NULL,
  -- NULL: it is to be found.
  environment TEXT,
  original_transaction_key INTEGER,
  -- The receipt of a device in Base64.
  receipt TEXT,
  receipt_bundle_id TEXT,
  opened_at INTEGER NOT NULL,
  attempt_count INTEGER NOT NULL,
  last_verdict TEXT,
  last_error_code INTEGER,
  next_attempt_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX open_question_of_subject ON open_question (subject, reason, COALESCE(environment, ''));
-- Questions are asked by reason: what somebody waits for comes before what is asked as a precaution.
CREATE INDEX open_question_of_reason ON open_question (reason, next_attempt_at);
