-- The catalogue in which a purchase is looked up, by the app that the purchase names (`named`). '' means that it names
-- no app, which only some unsigned formats allow. Such a purchase uses the only catalogue, if only one app has a
-- catalogue. A purchase of an app without a catalogue is found in no catalogue.
CREATE VIEW int_catalogue_app AS
WITH app AS (
  SELECT q.as_of, q.known_at,
    v.bundle_id FROM param_query q CROSS JOIN product_version v WHERE v.entered_at <= q.known_at
  UNION
  SELECT q.as_of, q.known_at, e.bundle_id
  FROM param_query q CROSS JOIN product_entitlement_entry e
  WHERE e.entered_at <= q.known_at
)
SELECT as_of, known_at, bundle_id AS named, bundle_id FROM app WHERE bundle_id IS NOT NULL
UNION ALL
SELECT as_of, known_at, '', MIN(bundle_id) FROM app GROUP BY as_of, known_at HAVING MIN(bundle_id) = MAX(bundle_id);
