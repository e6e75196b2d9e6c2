-- The payloads that count for a question, when Apple said each, and when we learned it (rules §1: evidence_at,
-- recorded_at).
--
-- recorded_at is the earliest received instant, whatever the order of import. evidence_at is Apple's own instant; else
-- the earliest received instant that the importer was told; else the greatest past-facing date inside, but never later
-- than recorded_at; else 0, which comes before everything. is_inferred is 1 where only dates inside tell that, or
-- nothing does. is_contradictory is 1 where its own dates contradict each other (rules §6): it may be forged or
-- edited. trust_level is 0 where anything in it is not signed, 2 where all leads to Apple's root, else 1.
CREATE VIEW stg_payload AS
SELECT
  p.payload_id,
  p.digest,
  (SELECT MIN(d.received_at) FROM delivery d WHERE d.payload_id = p.payload_id) AS recorded_at,
  COALESCE(
    p.stated_at,
    (SELECT MIN(d.received_at) FROM delivery d WHERE d.payload_id = p.payload_id AND d.is_explicit = 1),
    CASE
      WHEN p.inferred_at > (SELECT MIN(d.received_at) FROM delivery d WHERE d.payload_id = p.payload_id)
        THEN (SELECT MIN(d.received_at) FROM delivery d WHERE d.payload_id = p.payload_id)
      ELSE p.inferred_at
    END,
    0
  ) AS evidence_at,
  CASE
    WHEN p.stated_at IS NOT NULL THEN 0
    WHEN (SELECT MIN(d.received_at) FROM delivery d WHERE d.payload_id = p.payload_id AND d.is_explicit = 1) IS NOT NULL
      THEN 0
    ELSE 1
  END AS is_inferred,
  COALESCE(
    (SELECT MAX(1) FROM problem x WHERE x.payload_id = p.payload_id AND x.code = 'contradictory_date'), 0
  ) AS is_contradictory,
  p.trust_level
FROM (
  SELECT
    a.*,
    CASE
      WHEN (SELECT MAX(c.is_apple) FROM root_certificate c WHERE c.root_id = a.root_id) = 1 THEN 2
      WHEN a.root_id IS NOT NULL OR a.trust = 'verified' THEN 1
      ELSE 0
    END AS trust_level
  FROM payload a
) p
WHERE COALESCE((SELECT MAX(q.least_trust) FROM param_query q), 0) = 0
  OR p.trust_level >= (SELECT MAX(q.least_trust) FROM param_query q);
