-- The original transactions that belong to their account token, which is then the customer. No customer is linked to
-- this token, and no entry is about the token as a customer. The token of a member's subscription may be the
-- purchaser's, so such a subscription belongs to nobody by its token (rules §9).
CREATE VIEW int_customer_token AS
SELECT i.as_of, i.known_at, i.original_transaction_key, i.identifier AS customer
FROM stg_original_transaction_identifier i
WHERE i.kind = 'app_account_token'
  AND NOT EXISTS (
    SELECT 1 FROM int_linked_identifier e
    WHERE e.as_of = i.as_of AND e.known_at = i.known_at AND e.identifier = i.identifier
  )
  AND NOT EXISTS (
    SELECT 1 FROM int_customer_link_entry x
    WHERE x.as_of = i.as_of AND x.known_at = i.known_at AND x.original_transaction_key = i.original_transaction_key
      AND x.customer = i.identifier
  )
  AND NOT EXISTS (
    SELECT 1
    FROM transaction_seat_info k
    JOIN transaction_info s ON s.transaction_info_id = k.transaction_info_id
    JOIN stg_transaction_version v
      ON v.original_transaction_key = k.original_transaction_key AND v.transaction_info_id = k.transaction_info_id
    WHERE k.original_transaction_key = i.original_transaction_key AND s.in_app_ownership_type = 'ASSIGNED'
      AND v.recorded_at <= i.known_at
  );
