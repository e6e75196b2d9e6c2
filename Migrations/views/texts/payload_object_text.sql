-- Where objects of Apple's stood in each payload: bytes into its own text.
CREATE VIEW payload_object_text AS
SELECT payload_id, position, apple_object_id FROM transaction_version WHERE position IS NOT NULL
UNION ALL
SELECT payload_id, position, apple_object_id FROM renewal_info_version WHERE position IS NOT NULL
UNION ALL
SELECT payload_id, position, apple_object_id FROM app_transaction_version WHERE position IS NOT NULL;
