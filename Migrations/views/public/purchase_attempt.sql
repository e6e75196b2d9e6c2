-- Every purchase attempt of the app, beside what the evidence states about it. Nothing here grants or removes access.
--
-- is_open: 1 while nothing has ended the attempt. Evidence of the payment ends it, even if the device reports
-- otherwise. Such evidence is the transaction itself. An attempt may have no transaction id. Then the evidence is a
-- purchase of the product by the same customer, after the attempt began. It may be up to five minutes earlier, because
-- clocks differ. closed_by: device or evidence.
--
-- finding is what support should check:
--   paid_never_verified        the device reported a payment that is not in the evidence
--   paid_not_theirs            the payment belongs to somebody else, and was never connected with this customer
--   finished_while_purchasing  a bug of the app, because StoreKit forbids it
--   removed_without_update     it left the queue, and nothing else was reported about it
--   failed                     the payment failed
--
-- The environments Unverified, Xcode and LocalTesting are not evidence here.
CREATE VIEW purchase_attempt AS
SELECT
  COALESCE(customer, app_account_token) AS customer, device, product_id, kind, state,
  CASE WHEN state IN ('in_flight', 'waiting_for_approval', 'paid_unfinished') AND is_in_evidence = 0 THEN 1 ELSE 0 END
    AS is_open,
  CASE
    WHEN state NOT IN ('in_flight', 'waiting_for_approval', 'paid_unfinished') THEN 'device'
    WHEN is_in_evidence = 1 THEN 'evidence'
  END AS closed_by,
  is_in_evidence, is_theirs,
  CASE
    WHEN paid_at IS NOT NULL AND is_in_evidence = 0 THEN 'paid_never_verified'
    WHEN paid_at IS NOT NULL AND is_theirs = 0 AND is_claimed = 1 THEN 'paid_not_theirs'
    WHEN is_finished_while_purchasing = 1 THEN 'finished_while_purchasing'
    WHEN is_removed_without_update = 1 THEN 'removed_without_update'
    WHEN state = 'failed' AND is_in_evidence = 0 THEN 'failed'
  END AS finding,
  began_at,
  CASE state
    WHEN 'paid_unfinished' THEN paid_at
    WHEN 'waiting_for_approval' THEN deferred_at
    WHEN 'in_flight' THEN COALESCE(purchasing_at, began_at)
    WHEN 'finished' THEN removed_at
    ELSE failed_at
  END AS state_since,
  paid_at, transaction_id, original_transaction_id,
  CASE WHEN delivery_count > 1 THEN delivery_count - 1 ELSE 0 END AS redelivery_count,
  error_domain, error_code, error_message, is_from_future, app_account_token, queue, recorded_at, as_of, known_at
FROM (
  SELECT
    a.*,
    CASE
      WHEN EXISTS (
        SELECT 1
        FROM stg_transaction t
        JOIN transaction_version v ON v.original_transaction_key = t.original_transaction_key
        AND v.transaction_key = t.transaction_key
        JOIN stg_payload i ON i.payload_id = v.payload_id
        JOIN original_transaction l ON l.original_transaction_key = t.original_transaction_key
        WHERE t.transaction_id = a.transaction_id AND i.recorded_at <= a.known_at
          AND l.environment NOT IN ('Unverified', 'Xcode', 'LocalTesting')
      ) THEN 1
      -- A copy has a new transaction id, so only its original transaction can be known.
      WHEN a.is_restored = 1 AND EXISTS (
        SELECT 1
        FROM original_transaction l
        JOIN transaction_version v ON v.original_transaction_key = l.original_transaction_key
        JOIN stg_payload i ON i.payload_id = v.payload_id
        WHERE l.original_transaction_id = a.original_transaction_id AND i.recorded_at <= a.known_at
          AND l.environment NOT IN ('Unverified', 'Xcode', 'LocalTesting')
      ) THEN 1
      WHEN a.transaction_id IS NULL AND EXISTS (
        SELECT 1
        FROM int_customer_candidate r
        CROSS JOIN transaction_version v
        CROSS JOIN original_transaction l
        CROSS JOIN transaction_info s
        CROSS JOIN stg_payload i
        WHERE r.customer IN (a.customer, a.app_account_token) AND r.effective_at <= a.as_of
          AND r.entered_at <= a.known_at AND v.original_transaction_key = r.original_transaction_key
          AND l.original_transaction_key = v.original_transaction_key
          AND l.environment NOT IN ('Unverified', 'Xcode', 'LocalTesting')
          AND s.transaction_info_id = v.transaction_info_id
          AND s.product_id = a.product_id AND s.purchase_at <= a.as_of
          AND s.purchase_at >= a.began_at - (SELECT clock_difference FROM rule_constant)
          AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at
      ) THEN 1
      ELSE 0
    END AS is_in_evidence,
    -- 1 when something ever connected the original transaction of this payment with the customer. Of a copy, the
    -- original transaction id counts.
    CASE
      WHEN a.transaction_id IS NULL OR (a.customer IS NULL AND a.app_account_token IS NULL) THEN 1
      WHEN EXISTS (
        SELECT 1 FROM int_customer_candidate r JOIN stg_transaction t
          ON t.original_transaction_key = r.original_transaction_key
        WHERE r.customer IN (a.customer, a.app_account_token) AND r.effective_at <= a.as_of
          AND r.entered_at <= a.known_at AND t.transaction_id = a.transaction_id
      ) THEN 1
      WHEN EXISTS (
        SELECT 1 FROM int_customer_candidate r JOIN original_transaction l
          ON l.original_transaction_key = r.original_transaction_key
        WHERE r.customer IN (a.customer, a.app_account_token) AND r.effective_at <= a.as_of
          AND r.entered_at <= a.known_at AND l.original_transaction_id = a.original_transaction_id
      ) THEN 1
      ELSE 0
    END AS is_theirs,
    -- 1 when this payment belongs to anybody: by an account token, or by an entry about the transaction or its
    -- original.
    CASE
      WHEN EXISTS (
        SELECT 1
        FROM stg_transaction t
        JOIN transaction_version v ON v.original_transaction_key = t.original_transaction_key
        JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
        JOIN stg_payload i ON i.payload_id = v.payload_id
        WHERE t.transaction_id = a.transaction_id AND s.app_account_token IS NOT NULL AND i.recorded_at <= a.known_at
      ) THEN 1
      WHEN EXISTS (
        SELECT 1
        FROM stg_transaction t
        JOIN original_transaction l ON l.original_transaction_key = t.original_transaction_key
        JOIN customer_link_entry e ON e.identifier IN (l.original_transaction_id, t.transaction_id)
        WHERE t.transaction_id = a.transaction_id AND e.effective_at <= a.as_of AND e.entered_at <= a.known_at
      ) THEN 1
      ELSE 0
    END AS is_claimed
  FROM int_client_attempt a
) judged;
