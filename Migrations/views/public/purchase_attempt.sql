-- Every purchase that the app began, beside what the evidence says of it. is_open: nothing has ended it yet. Evidence
-- of the payment ends it, whatever the device says: the transaction itself, or, for an attempt without an id, a
-- purchase of the product by the same customer since (or up to five minutes before: clocks differ). closed_by: device
-- or evidence.
--
-- finding, what support should look at: paid_never_verified; paid_not_theirs (the payment is known, and its line was
-- never this customer's, but somebody else's); finished_while_purchasing (a bug of the app: StoreKit forbids it);
-- removed_without_update; failed. What nobody vouches for is no evidence here. Nothing here gives or takes access.
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
        FROM store_transaction t
        JOIN transaction_version v ON v.original_transaction_key = t.original_transaction_key
        AND v.transaction_key = t.transaction_key
        JOIN stg_payload i ON i.payload_id = v.payload_id
        JOIN original_transaction l ON l.original_transaction_key = t.original_transaction_key
        WHERE t.transaction_id = a.transaction_id AND i.recorded_at <= a.known_at
          AND l.environment NOT IN ('Unverified', 'Xcode', 'LocalTesting')
      ) THEN 1
      -- A copy has an id of its own: its line is what can be known.
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
          AND r.recorded_at <= a.known_at AND v.original_transaction_key = r.original_transaction_key
          AND l.original_transaction_key = v.original_transaction_key
          AND l.environment NOT IN ('Unverified', 'Xcode', 'LocalTesting') AND s.transaction_info_id = v.transaction_info_id
          AND s.product_id = a.product_id AND s.purchase_at >= a.began_at - 300000 AND s.purchase_at <= a.as_of
          AND i.payload_id = v.payload_id AND i.recorded_at <= a.known_at
      ) THEN 1
      ELSE 0
    END AS is_in_evidence,
    -- Whether a line that has this transaction (of a copy: its line) was ever brought together with the customer.
    CASE
      WHEN a.transaction_id IS NULL OR (a.customer IS NULL AND a.app_account_token IS NULL) THEN 1
      WHEN EXISTS (
        SELECT 1 FROM int_customer_candidate r JOIN store_transaction t
          ON t.original_transaction_key = r.original_transaction_key
        WHERE r.customer IN (a.customer, a.app_account_token) AND r.effective_at <= a.as_of
          AND r.recorded_at <= a.known_at AND t.transaction_id = a.transaction_id
      ) THEN 1
      WHEN EXISTS (
        SELECT 1 FROM int_customer_candidate r JOIN original_transaction l
          ON l.original_transaction_key = r.original_transaction_key
        WHERE r.customer IN (a.customer, a.app_account_token) AND r.effective_at <= a.as_of
          AND r.recorded_at <= a.known_at AND l.original_transaction_id = a.original_transaction_id
      ) THEN 1
      ELSE 0
    END AS is_theirs,
    -- Whether that line is anybody's: by a token, or by an entry about the line or the transaction itself.
    CASE
      WHEN EXISTS (
        SELECT 1
        FROM store_transaction t
        JOIN transaction_version v ON v.original_transaction_key = t.original_transaction_key
        JOIN transaction_info s ON s.transaction_info_id = v.transaction_info_id
        JOIN stg_payload i ON i.payload_id = v.payload_id
        WHERE t.transaction_id = a.transaction_id AND s.app_account_token IS NOT NULL AND i.recorded_at <= a.known_at
      ) THEN 1
      WHEN EXISTS (
        SELECT 1
        FROM store_transaction t
        JOIN original_transaction l ON l.original_transaction_key = t.original_transaction_key
        JOIN customer_link_entry e ON e.identifier IN (l.original_transaction_id, t.transaction_id)
        WHERE t.transaction_id = a.transaction_id AND e.effective_at <= a.as_of AND e.recorded_at <= a.known_at
      ) THEN 1
      ELSE 0
    END AS is_claimed
  FROM int_client_attempt a
) judged;
