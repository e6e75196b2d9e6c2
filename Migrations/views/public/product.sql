-- The catalogue at known_at: for each product of an app, the version that was recorded last by then.
CREATE VIEW product AS
SELECT
  as_of, known_at, bundle_id, product_id, type, reference_name, subscription_group_identifier,
  subscription_group_name, service_level, period, period_months, period_days, is_family_shareable, entered_at,
  version_id
FROM (
  SELECT
    q.as_of, q.known_at, v.*,
    ROW_NUMBER() OVER (
      PARTITION BY q.as_of, q.known_at, v.bundle_id, v.product_id ORDER BY v.entered_at DESC, v.version_id DESC
    ) AS row_rank
  FROM param_query q
  CROSS JOIN product_version v
  WHERE v.entered_at <= q.known_at
) ranked
WHERE row_rank = 1;
