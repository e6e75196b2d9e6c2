-- The lengths of time that several views use; milliseconds.
--   billing_retry_duration  Apple retries a failed payment for 60 days (rules §5)
--   approval_duration       the App Store deletes a request for a parent's approval after 24 hours (Apple Support,
--                           "Approve what kids buy with Ask to Buy")
--   clock_difference        the clocks of a device and of Apple may differ by 5 minutes
--   month_limit             no calendar month is longer than 32 days: with it, a search for a month reads one row
-- @integer approval_duration, billing_retry_duration, clock_difference, month_limit
CREATE VIEW rule_constant AS
SELECT
  CAST(5184000000 AS BIGINT) AS billing_retry_duration, CAST(86400000 AS BIGINT) AS approval_duration,
  CAST(300000 AS BIGINT) AS clock_difference, CAST(2764800000 AS BIGINT) AS month_limit;
