-- The values of each renewal info that its text repeats (see transaction_info_value).
CREATE VIEW renewal_info_value AS
SELECT w.renewal_info_id, 'o' AS letter, o.original_transaction_id AS value
FROM renewal_info w JOIN original_transaction o ON o.original_transaction_key = w.original_transaction_key
UNION ALL
SELECT renewal_info_id, 'g', CAST(grace_period_expires_at AS TEXT) FROM renewal_info
UNION ALL
SELECT renewal_info_id, 'n', CAST(renewal_at AS TEXT) FROM renewal_info
UNION ALL
SELECT renewal_info_id, 's', CAST(recent_subscription_start_at AS TEXT) FROM renewal_info
UNION ALL
SELECT renewal_info_id, 'a', app_account_token FROM renewal_info
UNION ALL
SELECT renewal_info_id, 'x', app_transaction_id FROM renewal_info;
