-- The catalogue as it stood at known_at: each product in the version recorded last by then. A product that was first
-- told of later is shown in its first version: what it is does not depend on when its owner wrote it down.
CREATE VIEW product AS
SELECT
  as_of, known_at, product_id, type, reference_name, subscription_group_identifier, subscription_group_name,
  service_level, period, period_months, period_days, is_family_shareable, recorded_at, version_id
FROM (
  SELECT
    q.as_of, q.known_at, v.*,
    ROW_NUMBER() OVER (
      PARTITION BY q.as_of, q.known_at, v.product_id
      ORDER BY
        CASE WHEN v.recorded_at <= q.known_at THEN 0 ELSE 1 END,
        CASE WHEN v.recorded_at <= q.known_at THEN -v.recorded_at ELSE v.recorded_at END,
        CASE WHEN v.recorded_at <= q.known_at THEN -v.version_id ELSE v.version_id END
    ) AS place
  FROM question q CROSS JOIN product_version v
) ranked
WHERE place = 1;
